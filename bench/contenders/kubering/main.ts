/** kubering, with defaults but for what its variant and the mode ask for. Arguments: name of the variant, config. */
import {
  type Handler,
  type InformerEvent,
  type InformerOptions,
  indexBy,
  SharedInformerFactory,
} from '../../../src/index.ts';
import {
  APP_LABEL,
  type BenchObject,
  kubeConfigOf,
  type Library,
  partsOf,
  resourcesOf,
  serve,
  type Tally,
  VERSION_LABEL,
} from '../../contender/index.ts';
import type { ContenderConfig } from '../../suite/protocol.ts';
import { VARIANTS, type Variant, type VariantName } from './variants.ts';

const BY_NODE = 'byNode';
const INDEXERS = {
  [BY_NODE]: indexBy.nodeName,
  byApp: indexBy.label(APP_LABEL),
  byVersion: indexBy.label(VERSION_LABEL),
};
const COLUMNS = { node: indexBy.nodeName, phase: indexBy.phase };

/** kubering's default is meant for a cluster, not for a million Pods: only then is it raised, far above what they take. */
const DEFAULT_MEMORY_LIMIT_BYTES = 4 * 2 ** 30;
const BYTES_PER_OBJECT = 16 * 2 ** 10;

await serve((config, tally) => makeKubering(config, tally, VARIANTS[process.argv[2] as VariantName]));

function makeKubering(config: ContenderConfig, tally: Tally, variant: Variant): Library {
  const memoryLimitBytes = Math.max(DEFAULT_MEMORY_LIMIT_BYTES, config.objects * BYTES_PER_OBJECT);
  const factory = new SharedInformerFactory(kubeConfigOf(config), { memoryLimitBytes });
  const options = { ...variant.options, ...optionsFor(config) };
  const informers = resourcesOf(config).map(({ group, version, plural }) =>
    factory.informerFor<BenchObject>({ group, version, resource: plural }, options),
  );
  const errors: string[] = [];
  const handler = handlerFor(config, tally);
  const registrations = informers.map((informer) => {
    informer.on('error', (error) => errors.push(error.message));
    return informer.addEventHandler(handler);
  });
  const { lister } = informers[0]!;

  return {
    async start() {
      await factory.start();
      await Promise.all(registrations.map(({ synced }) => synced));
    },
    *cached() {
      for (const informer of informers) {
        for (const ref of informer.lister.refs()) yield [ref.key, ref.resourceVersion] as const;
      }
    },
    ...(config.indexes && {
      lookups: {
        nodes: () => lister.indexValues(BY_NODE),
        onNode: (node) => lister.query({ [BY_NODE]: node }).keys(),
      },
    }),
    get merged() {
      return registrations.reduce((sum, { laps }) => sum + laps, 0);
    },
    get sharedBytes() {
      return factory.stats.sharedBytes;
    },
    errors,
  };
}

function optionsFor({ mode, indexes, pageLimit }: ContenderConfig): InformerOptions<BenchObject> {
  return {
    ...(indexes && { indexers: INDEXERS }),
    ...(mode === 'two-fields' && { columns: COLUMNS }),
    ...(pageLimit !== undefined && { pageLimit }),
  };
}

function handlerFor({ mode }: ContenderConfig, tally: Tally): Handler<BenchObject> {
  switch (mode) {
    case 'keys':
      return { onEvent: (event) => count(tally, event) };
    case 'two-fields':
      return {
        onEvent(event) {
          tally.sum += (event.column('node')?.length ?? 0) + (event.column('phase')?.length ?? 0);
          count(tally, event);
        },
      };
    case 'decode-all':
      return {
        onEvent(event) {
          tally.sum += partsOf(event.object);
          count(tally, event);
        },
      };
  }
}

function count(tally: Tally, event: InformerEvent<BenchObject>): void {
  if (event.type === 'update') tally.updated(event.key, event.resourceVersion);
  else if (event.type === 'add') tally.added(event.key, event.resourceVersion);
  else tally.deleted(event.key, event.resourceVersion);
}
