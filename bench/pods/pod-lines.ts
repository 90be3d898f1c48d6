/** Pods made from templates by seed, in pages, so that every process of a benchmark has the same ones. */
import { PodFactory } from '../../src/testing/pods.ts';
import { Random } from '../../src/testing/random.ts';

/** Pods of one page of a list: kubering's default. Each page has a seed of its own, so it can be made alone. */
export const PAGE_PODS = 500;

/** The version of the first Pod; each has its own. */
const FIRST_VERSION = 1001;

/** Annotations that ten, and a thousand, Pods have in common: indexes then have postings of exactly these sizes. */
export const TEN = 'bench.example.com/ten';
export const THOUSAND = 'bench.example.com/thousand';

export interface PodSet {
  readonly pods: number;
  readonly seed: number;
}

const factory = new PodFactory();

/** The Pods of a page as JSON, each as an API server writes it in a list. */
export function podsOfPage({ pods, seed }: PodSet, page: number): string[] {
  const random = new Random(seed + page);
  const lines: string[] = [];
  const end = Math.min(pods, (page + 1) * PAGE_PODS);
  for (let i = page * PAGE_PODS; i < end; i++) {
    const { beforeVersion, restOfMetadata, restOfBody, tail } = factory.make(i, random).text;
    const marked = restOfMetadata.replace(ANNOTATIONS, ANNOTATIONS + groupsOf(i, pods));
    lines.push(`${beforeVersion}${FIRST_VERSION + i}${marked}${restOfBody}${tail}`);
  }
  return lines;
}

/** How many pages a set has. */
export function pagesOf({ pods }: PodSet): number {
  return Math.ceil(pods / PAGE_PODS);
}

/** The version of the list of all Pods. */
export function listVersion({ pods }: PodSet): string {
  return String(FIRST_VERSION + pods);
}

/** Annotations of Pod `i`: neighbours share the first, Pods that are far apart the second. */
function groupsOf(i: number, pods: number): string {
  const tens = Math.floor(i / 10);
  const thousands = i % Math.max(1, Math.floor(pods / 1000));
  return `"${TEN}":"t${tens}","${THOUSAND}":"h${thousands}",`;
}

const ANNOTATIONS = '"annotations":{';
