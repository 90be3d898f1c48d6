import type { ObjectFacts, ObjectText } from './encode.ts';
import type { JsonObject } from './json.ts';
import { type PodShape, podTemplate } from './pod-shape.ts';
import type { Random } from './random.ts';
import { Template } from './template.ts';

/** Options of seeded Pods. */
export interface PodOptions {
  /** Namespaces to spread the Pods over. Default: six, named by what teams are called. */
  namespaces?: readonly string[];
  /** How many nodes the Pods run on. Default 200. */
  nodes?: number;
}

/** The text of a Pod and the facts about it, ready to be stored. */
export interface PodText {
  text: ObjectText;
  facts: ObjectFacts;
}

type Hole =
  | 'APP'
  | 'NAMESPACE'
  | 'TIER'
  | 'NAME'
  | 'UID'
  | 'HASH'
  | 'OWNERUID'
  | 'VERSION'
  | 'CHECKSUM'
  | 'TAG'
  | 'SHARD'
  | 'NODE'
  | 'HOSTIP'
  | 'PODIP'
  | 'CREATED'
  | 'STARTED'
  | 'CONTAINER0'
  | 'CONTAINER1'
  | 'CONTAINER2';

interface ShapeTemplates {
  shape: PodShape;
  beforeVersion: Template<Hole>;
  restOfMetadata: Template<Hole>;
  restOfBody: Template<Hole>;
  tail: Template<Hole>;
}

const APPS = ['cart-api', 'catalog', 'checkout', 'frontend', 'inventory', 'ml-ranker', 'payments', 'search'];
const NAMESPACES = ['batch', 'default', 'ml-train', 'payments', 'platform', 'web'];
const TIERS = ['backend', 'batch', 'edge'];
const DEFAULT_NODES = 200;

/** Pods of one ReplicaSet share its name and uid; this many Pods belong to one on average. */
const PODS_PER_OWNER = 4;

/** One Pod in so many waits for a node. */
const PENDING_EVERY = 32;

/** Times are counted from here, not from now: the same seed must give the same bytes tomorrow. */
const EPOCH_MS = Date.UTC(2026, 10, 30, 9, 0, 0);
const TEN_HOURS_SECONDS = 36_000;

/** Everything up to the value of `metadata`. */
const METADATA_PREFIX = '{"metadata":';

/**
 * Makes realistic Pods: 5 to 13 KB each, 9.5 KB on average, about half of it managedFields. The text is
 * filled into templates made once per shape, which is some thirty times faster than printing objects.
 */
export class PodFactory {
  readonly #namespaces: readonly string[];
  readonly #nodes: number;

  constructor(options: PodOptions = {}) {
    this.#namespaces = options.namespaces ?? NAMESPACES;
    this.#nodes = options.nodes ?? DEFAULT_NODES;
  }

  /** The text of Pod number `i`. */
  make(i: number, random: Random): PodText {
    const owner = Math.floor(i / PODS_PER_OWNER);
    const isPending = i % PENDING_EVERY === PENDING_EVERY - 1;
    const templates = templatesFor((mix(owner) >>> 16) % SIZES, isPending);
    const values = this.#values(i, owner, templates.shape, random);
    return {
      text: {
        beforeVersion: templates.beforeVersion.fill(values),
        metadataAt: METADATA_PREFIX.length,
        restOfMetadata: templates.restOfMetadata.fill(values),
        restOfBody: templates.restOfBody.fill(values),
        tail: templates.tail.fill(values),
      },
      facts: {
        namespace: values.NAMESPACE,
        name: values.NAME,
        uid: values.UID,
        labels: {
          'app.kubernetes.io/name': values.APP,
          'app.kubernetes.io/part-of': values.NAMESPACE,
          'app.kubernetes.io/version': values.VERSION,
          'pod-template-hash': values.HASH,
          tier: values.TIER,
        },
        quickFields: isPending ? PENDING : [values.NODE, 'Running'],
      },
    };
  }

  /** What depends on the owner is the same for its Pods; the rest is drawn. */
  #values(i: number, owner: number, shape: PodShape, random: Random): Record<Hole, string> {
    const mixed = mix(owner);
    const app = mixed % APPS.length;
    const hash = ownerHash(owner);
    const node = random.below(this.#nodes);
    const created = EPOCH_MS + (i % TEN_HOURS_SECONDS) * 1000;
    return {
      APP: APPS[app]!,
      NAMESPACE: this.#namespaces[(mixed >>> 8) % this.#namespaces.length]!,
      TIER: TIERS[app % TIERS.length]!,
      NAME: `${APPS[app]}-${hash}-${random.suffix()}`,
      UID: random.uuid(),
      HASH: hash,
      OWNERUID: `${hash.slice(1)}-0000-4000-8000-000${hash}`,
      VERSION: `v${owner % 10}`,
      CHECKSUM: random.hex(64),
      TAG: `v${owner % 7}.${owner % 40}.${owner % 10}@sha256:${random.hex(64)}`,
      SHARD: String(i % 16),
      NODE: nodeName(node),
      HOSTIP: `10.1.${node >> 8}.${node & 255}`,
      PODIP: `10.${64 + ((i >> 16) & 63)}.${(i >> 8) & 255}.${i & 255}`,
      CREATED: isoSeconds(created),
      STARTED: isoSeconds(created + 7000),
      CONTAINER0: random.hex(64),
      CONTAINER1: shape.hasSidecar ? random.hex(64) : '',
      CONTAINER2: shape.hasInitContainer ? random.hex(64) : '',
    };
  }
}

const PENDING: readonly string[] = ['', 'Pending'];

/**
 * A realistic Pod as an object, with kind and apiVersion; without `resourceVersion`, which the server gives.
 *
 * @param i - its number: Pods with different numbers have different names
 */
export function makePod(i: number, random: Random, options?: PodOptions): JsonObject {
  const { text } = new PodFactory(options).make(i, random);
  const body = JSON.parse(`${text.beforeVersion}${text.restOfMetadata}${text.restOfBody}${text.tail}`);
  delete body.metadata.resourceVersion;
  return { kind: 'Pod', apiVersion: 'v1', ...body };
}

/** Of eight Pods: five without a sidecar, from bare to many settings, two with one, one with everything. */
const ENV_VARIABLES = [2, 5, 9, 5, 5, 5, 5, 8];
const SIZES = ENV_VARIABLES.length;
const compiled = new Map<string, ShapeTemplates>();

function templatesFor(size: number, isPending: boolean): ShapeTemplates {
  const id = `${size} ${isPending}`;
  let templates = compiled.get(id);
  if (templates === undefined) {
    const hasInitContainer = size === SIZES - 1;
    templates = compile({
      hasSidecar: size > 4,
      hasInitContainer,
      envVariables: ENV_VARIABLES[size]!,
      isPending,
    });
    compiled.set(id, templates);
  }
  return templates;
}

function compile(shape: PodShape): ShapeTemplates {
  const { metadata, spec, status } = podTemplate(shape);
  const text = METADATA_PREFIX + JSON.stringify(metadata);
  const versionAt = text.indexOf(VERSION_FIELD) + VERSION_FIELD.length;
  return {
    shape,
    beforeVersion: new Template(text.slice(0, versionAt)),
    restOfMetadata: new Template(text.slice(versionAt)),
    restOfBody: new Template(`,"spec":${JSON.stringify(spec)}`),
    tail: new Template(`,"status":${JSON.stringify(status)}}`),
  };
}
const VERSION_FIELD = '"resourceVersion":"';

/** Nine hex digits that depend on the number only, so that Pods of one owner agree without a table. */
function ownerHash(owner: number): string {
  return (mix(owner) + 0x1_0000_0000).toString(16);
}

/** Spreads neighbouring numbers over 32 bits, each to another value. */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function nodeName(node: number): string {
  return `ip-10-1-${node >> 8}-${node & 255}.eu-west-1.compute.internal`;
}

function isoSeconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
