/**
 * The text of objects, made from templates by seed: the same seed and number give the same bytes in every process.
 * Objects are made in pages with a seed of their own each, so that any page of a million can be made alone.
 */
import { sortKeysDeep } from '../../src/testing/json.ts';
import { fieldsOf } from '../../src/testing/managed-fields.ts';
import { PodFactory } from '../../src/testing/pods.ts';
import { Random } from '../../src/testing/random.ts';
import { Template } from '../../src/testing/template.ts';
import { apiVersionOf, type BenchResource, type ObjectKind } from './resources.ts';

/** One object as a list has it, cut where the digits of its resourceVersion go. */
export interface ObjectText {
  readonly namespace: string;
  readonly name: string;
  readonly head: string;
  readonly tail: string;
  /** Bytes are characters: several times faster to encode. */
  readonly isAscii: boolean;
}

export interface TextOptions {
  readonly kind: ObjectKind;
  readonly resource: BenchResource;
  readonly seed: number;
}

export const PAGE_OBJECTS = 500;

/** One object in so many has text that is not ASCII. */
const FOREIGN_EVERY = 10;

/** Letters of two, three and four bytes in UTF-8. */
const FOREIGN_TEXT = 'Überprüfung für Zürich – 東京のチーム 🚢';

type Maker = (i: number, random: Random) => ObjectText;

/** Makes the texts of one page, numbers `page * PAGE_OBJECTS` and up. */
export class Texts {
  readonly #make: Maker;
  readonly #seed: number;

  constructor({ kind, resource, seed }: TextOptions) {
    this.#seed = seed;
    this.#make =
      kind === 'pod' ? podMaker() : kind === 'custom' ? customMaker(resource) : configMapMaker(seed);
  }

  page(page: number, count: number): ObjectText[] {
    const random = new Random(this.#seed + page);
    return Array.from({ length: count }, (_, k) => this.#make(page * PAGE_OBJECTS + k, random));
  }
}

const ANNOTATIONS = '"annotations":{';

function podMaker(): Maker {
  const factory = new PodFactory();
  return (i, random) => {
    const { text, facts } = factory.make(i, random);
    // Pods of one ReplicaSet, four at most, differ in the last letter: among a million no name comes twice.
    const name = facts.name.slice(0, -1) + NAME_ENDS[i % NAME_ENDS.length];
    const beforeVersion = text.beforeVersion.replace(`"name":"${facts.name}"`, `"name":"${name}"`);
    const isAscii = i % FOREIGN_EVERY !== 0;
    const metadata = isAscii
      ? text.restOfMetadata
      : text.restOfMetadata.replace(ANNOTATIONS, `${ANNOTATIONS}"bench.example.com/note":"${FOREIGN_TEXT}",`);
    const tail = metadata + text.restOfBody + text.tail;
    return { namespace: facts.namespace, name, head: beforeVersion, tail, isAscii };
  };
}
const NAME_ENDS = 'bcdf';

const NAMESPACES = ['batch', 'default', 'ml-train', 'payments', 'platform', 'web'];
const APPS = ['cart-api', 'catalog', 'checkout', 'frontend', 'inventory', 'payments', 'search'];
const NODES = 200;

/** Fields that both kinds of object below share, in sorted order; indexes and edits look for them. */
function labelsOf(app: string, version: string) {
  return { 'app.kubernetes.io/name': app, 'app.kubernetes.io/version': version };
}

type Hole = 'NAME' | 'NAMESPACE' | 'UID' | 'APP' | 'VERSION' | 'NODE' | 'SHA' | 'NOTE';

const CREATED = '2026-11-30T09:00:00Z';

/** A custom resource as an API server sends it: all keys sorted, kind and apiVersion in lists, too. */
function customMaker(resource: BenchResource): Maker {
  const object = customTemplate(resource);
  const text = JSON.stringify(sortKeysDeep(object));
  const versionAt = text.indexOf(VERSION_FIELD) + VERSION_FIELD.length;
  const head = new Template<Hole>(text.slice(0, versionAt));
  const tail = new Template<Hole>(text.slice(versionAt));
  return (i, random) => {
    const isAscii = i % FOREIGN_EVERY !== 0;
    const values = {
      NAME: `widget-${String(i).padStart(7, '0')}`,
      NAMESPACE: random.pick(NAMESPACES),
      UID: random.uuid(),
      APP: random.pick(APPS),
      VERSION: `v${random.below(10)}`,
      NODE: `ip-10-1-0-${random.below(NODES)}.eu-west-1.compute.internal`,
      SHA: random.hex(64),
      NOTE: isAscii ? 'checked by the team on duty' : FOREIGN_TEXT,
    };
    return {
      namespace: values.NAMESPACE,
      name: values.NAME,
      head: head.fill(values),
      tail: tail.fill(values),
      isAscii,
    };
  };
}
const VERSION_FIELD = '"resourceVersion":"';

function customTemplate(resource: BenchResource): object {
  const labels = labelsOf('@APP@', '@VERSION@');
  const spec = {
    nodeName: '@NODE@',
    image: 'registry.example.com/@NAMESPACE@/@APP@@sha256:@SHA@',
    replicas: 3,
    endpoints: ['http', 'grpc', 'metrics'].map((name, i) => ({ name, port: 8080 + i, protocol: 'TCP' })),
    settings: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`setting${i}`, `value-${i}`])),
  };
  const conditions = ['Available', 'Progressing', 'Ready'].map((type) => ({
    type,
    status: 'True',
    reason: 'AsExpected',
    message: 'everything is as it should be',
    lastTransitionTime: CREATED,
  }));
  const status = { phase: 'Running', observedGeneration: 1, conditions };
  const managedBy = { manager: 'widget-controller', operation: 'Update', apiVersion: apiVersionOf(resource) };
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      annotations: { 'bench.example.com/note': '@NOTE@', 'checksum/config': '@SHA@' },
      creationTimestamp: CREATED,
      generation: 1,
      labels,
      managedFields: [
        {
          ...managedBy,
          fieldsType: 'FieldsV1',
          fieldsV1: fieldsOf({ metadata: { labels }, spec, status }),
          time: CREATED,
        },
      ],
      name: '@NAME@',
      namespace: '@NAMESPACE@',
      resourceVersion: '',
      uid: '@UID@',
    },
    spec,
    status,
  };
}

/** How long the data of a ConfigMap is, and how many different ones there are. */
const DATA_BYTES = 100_000;
const DATA_VARIANTS = 8;

function configMapMaker(seed: number): Maker {
  const tails = Array.from({ length: DATA_VARIANTS }, (_, variant) => configMapTail(variant, seed));
  return (i, random) => {
    const variant = i % DATA_VARIANTS;
    const namespace = random.pick(NAMESPACES);
    const name = `settings-${String(i).padStart(7, '0')}`;
    const identity = `"name":"${name}","namespace":"${namespace}","uid":"${random.uuid()}"`;
    const labels = JSON.stringify(labelsOf(random.pick(APPS), `v${random.below(10)}`));
    return {
      namespace,
      name,
      head: `{"metadata":{${identity},"resourceVersion":"`,
      tail: `","creationTimestamp":"${CREATED}","labels":${labels}}${tails[variant]}`,
      isAscii: variant !== 0,
    };
  };
}

/** Settings as they are mounted: lines, quotes and tabs, so that a tenth of the text is escaped. */
function configMapTail(variant: number, seed: number): string {
  const random = new Random(seed * DATA_VARIANTS + variant);
  const lines: string[] = variant === 0 ? [`# ${FOREIGN_TEXT}`] : [];
  for (let bytes = 0; bytes < DATA_BYTES; bytes += lines.at(-1)!.length + LINE_EXTRA) {
    lines.push(`key${lines.length}:\t"${random.hex(64)}" # "quoted"`);
  }
  return `,"data":{"application.yaml":${JSON.stringify(lines.join('\n'))}}}`;
}
/** Characters that escaping adds to a line. */
const LINE_EXTRA = 6;
