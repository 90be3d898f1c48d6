/**
 * Makes JSON texts of Kubernetes-like objects with all the freedom that JSON gives: key order, white space,
 * escapes, duplicate keys, decoys. Each comes with the value that it means.
 */
import type { Random } from './random.ts';

export interface Generated {
  readonly text: string;
  readonly value: unknown;
}

const WORDS = [
  'default',
  'web-0',
  'Running',
  '',
  'ключ',
  'é',
  '日本',
  '🙂',
  'a"b',
  'back\\slash',
  '\\',
  '"',
  '\n\t',
  '{',
  '}]',
  '[,',
  ':',
  '\u0001',
  'x'.repeat(15),
  'y'.repeat(16),
  'z'.repeat(17),
  'w'.repeat(63),
  'v'.repeat(64),
  'u'.repeat(65),
  '"'.repeat(33),
  '\\'.repeat(64),
  `${'t'.repeat(62)}\\"`,
  `${'s'.repeat(63)}"`,
  `${'r'.repeat(127)}\\`,
  '{"metadata":{"name":"decoy"}}',
  'null',
];
const KEYS = [
  'metadata',
  'name',
  'namespace',
  'uid',
  'labels',
  'spec',
  'nodeName',
  'status',
  'phase',
  'items',
  'object',
  'type',
  'a',
  'b',
  'managedFields',
  'app.kubernetes.io/name',
  'ключ',
  '',
  'x"y\\z',
  'metadatb',
  'nam',
  'resourceVersiox',
  'k'.repeat(70),
];
const NUMBERS = ['0', '-0', '1', '-17', '3.25', '1e3', '2E-2', '12345678901234567890', '0.5e+2'];

export class Generator {
  readonly #random: Random;
  /** Lines are broken only where a printer breaks them, so that a watch can tell a broken line. */
  readonly #isForWatch: boolean;
  readonly #isPretty: boolean;

  constructor(random: Random, isForWatch: boolean, isPretty = random.chance(40)) {
    this.#random = random;
    this.#isForWatch = isForWatch;
    this.#isPretty = isPretty;
  }

  /** An object as a list has it, or as a watch event carries it. */
  object(): Generated {
    const members: [string, Generated][] = [];
    if (this.#random.chance(90)) members.push(['metadata', this.#metadata()]);
    if (this.#random.chance(60)) members.push(['kind', this.#mostlyText()]);
    if (this.#random.chance(60)) members.push(['apiVersion', this.#mostlyText()]);
    if (this.#random.chance(70)) members.push(['spec', this.#spec()]);
    if (this.#random.chance(50)) members.push(['status', this.#map([['phase', this.#mostlyText()]])]);
    return this.#map(members);
  }

  /** A list body around the items. */
  list(items: readonly Generated[]): Generated {
    const members: [string, Generated][] = [
      ['kind', text('PodList')],
      ['metadata', this.value(1)],
      ['items', this.#array(items)],
      ['apiVersion', text('v1')],
    ];
    const extra: [string, Generated][] = this.#random.chance(30) ? [['status', this.value(2)]] : [];
    return this.#members(this.#shuffle([...members, ...extra]));
  }

  /** A watch event around the object. */
  event(type: string, object: Generated): Generated {
    const members: [string, Generated][] = [
      ['type', this.string(type)],
      ['object', object],
    ];
    if (this.#random.chance(10)) members.push(['extra', this.value(2)]);
    const ordered = this.#shuffle(members);
    if (this.#random.chance(10)) ordered.unshift(['object', this.object()], ['type', this.value(1)]);
    return this.#members(ordered);
  }

  #metadata(): Generated {
    const members: [string, Generated][] = [];
    for (const key of ['name', 'namespace', 'uid', 'resourceVersion']) {
      if (this.#random.chance(85)) members.push([key, this.#mostlyText()]);
    }
    if (this.#random.chance(60)) members.push(['labels', this.value(1)]);
    if (this.#random.chance(50)) members.push(['managedFields', this.value(3)]);
    if (this.#random.chance(40)) {
      const owners = this.#many(3, () => this.#map([['uid', this.#mostlyText()]]));
      members.push(['ownerReferences', this.#array(owners)]);
    }
    return this.#map(members);
  }

  #spec(): Generated {
    const containers = this.#many(3, () =>
      this.#map([
        ['name', this.#mostlyText()],
        ['env', this.value(2)],
      ]),
    );
    return this.#map([
      ['nodeName', this.#mostlyText()],
      ['containers', this.#array(containers)],
    ]);
  }

  #mostlyText(): Generated {
    return this.#random.chance(85) ? this.string(this.#random.pick(WORDS)) : this.value(1);
  }

  /** Any value, `depth` levels deep at most. */
  value(depth: number): Generated {
    const kind = this.#random.below(depth > 0 ? 7 : 4);
    if (kind === 0) {
      const number = this.#random.pick(NUMBERS);
      return { text: number, value: Number(number) };
    }
    if (kind === 1) return this.#random.pick([TRUE, FALSE, NULL]);
    if (kind <= 3) return this.string(this.#random.pick(WORDS));
    if (kind === 4) return this.#array(this.#many(4, () => this.value(depth - 1)));
    return this.#members(this.#many(5, () => [this.#random.pick(KEYS), this.value(depth - 1)] as const));
  }

  /** These members, and perhaps decoys, an earlier value of one of them, in any order. */
  #map(members: readonly (readonly [string, Generated])[]): Generated {
    const all = this.#shuffle([...members]);
    if (this.#random.chance(30)) {
      const names = new Set(all.map(([key]) => key));
      const decoys = this.#many(3, () => [this.#random.pick(KEYS), this.value(3)] as const);
      all.push(...decoys.filter(([key]) => !names.has(key)));
    }
    const ordered = this.#shuffle(all);
    if (this.#random.chance(12) && ordered.length > 0) {
      const [key] = this.#random.pick(ordered);
      ordered.unshift([key, this.value(3)]);
    }
    return this.#members(ordered);
  }

  #members(members: readonly (readonly [string, Generated])[]): Generated {
    const texts = members.map(([key, { text }]) => {
      const space = this.#random.chance(90) ? '' : ' ';
      return `${this.string(key).text}${space}:${this.#breakable()}${text}`;
    });
    const value = Object.fromEntries(members.map(([key, { value }]) => [key, value]));
    return { text: this.#bracketed('{', texts, '}'), value };
  }

  #array(elements: readonly Generated[]): Generated {
    const texts = elements.map(({ text }) => text);
    return { text: this.#bracketed('[', texts, ']'), value: elements.map(({ value }) => value) };
  }

  #bracketed(open: string, texts: readonly string[], close: string): string {
    const separated = texts.join(`${this.#breakable()},${this.#breakable()}`);
    return open + this.#breakable() + separated + this.#breakable() + close;
  }

  /** White space where a printer may break a line. */
  #breakable(): string {
    if (!this.#isPretty || this.#random.chance(50)) return '';
    const choices = ['\n  ', '\r\n', ' ', '\n\n\t', '\n'.padEnd(this.#random.below(80))];
    return this.#random.pick(choices);
  }

  /** White space around an event or a list. */
  outerSpace(): string {
    return this.#random.pick(this.#isForWatch ? ['\n', '\n\n', ' \r\n', '\n  '] : ['', ' ', '\n\t\r ']);
  }

  /** A string with some of its characters escaped that need not be. */
  string(value: string): Generated {
    const isPlain = this.#random.chance(85);
    const escaped = [...value].map((char) =>
      isPlain || this.#random.chance(70) ? plainChar(char) : unicodeEscape(char),
    );
    return { text: `"${escaped.join('')}"`, value };
  }

  #many<T>(limit: number, make: () => T): T[] {
    return Array.from({ length: this.#random.below(limit + 1) }, make);
  }

  #shuffle<T>(values: T[]): T[] {
    if (this.#random.chance(30)) return values;
    for (let index = values.length - 1; index > 0; index--) {
      const other = this.#random.below(index + 1);
      [values[index], values[other]] = [values[other]!, values[index]!];
    }
    return values;
  }
}

const TRUE = { text: 'true', value: true };
const FALSE = { text: 'false', value: false };
const NULL = { text: 'null', value: null };

function text(value: string): Generated {
  return { text: JSON.stringify(value), value };
}

function plainChar(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

function unicodeEscape(char: string): string {
  return Array.from({ length: char.length }, (_, index) => {
    const hex = char.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${index % 2 === 0 ? hex : hex.toUpperCase()}`;
  }).join('');
}
