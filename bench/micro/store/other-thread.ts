/** A worker thread that reads the cache of the informer of the main thread, and times that itself. */
import { parentPort, workerData } from 'node:worker_threads';
import { type InformerHandle, Lister } from '../../../src/index.ts';
import { listerCases } from './lister-cases.ts';
import { measure } from './measure.ts';
import { DECODE_CACHE_BYTES, type Pod } from './rows.ts';

const lister = Lister.attach<Pod>(workerData as InformerHandle, { decodeCacheBytes: DECODE_CACHE_BYTES });
const figures = await measure(listerCases('kubering, other thread', lister));
lister.detach();
parentPort!.postMessage(figures);
