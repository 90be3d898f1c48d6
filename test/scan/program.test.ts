import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  SCAN_CUT_COUNT,
  SCAN_FIELD_COUNT,
  SCAN_FLAG_FIELDS_OVERFLOW,
  SCAN_FLAGS,
  SCAN_MAX_CUTS,
  SCAN_MAX_FIELDS,
} from '../../src/layout/scan.ts';
import { ListFramer, type ScanEngine, type ScanSpec, ScanSpecError, Step } from '../../src/scan/index.ts';
import { keptText, newEngine, path, readResult, spec } from './harness.ts';

describe('scan program', () => {
  const engine = newEngine();
  const scan = (text: string, wanted: ScanSpec) => scanItem(engine, text, wanted);
  const fieldsOf = (text: string, ...fields: string[]) => scan(text, spec(fields)).fields;
  const kept = (text: string, ...drops: string[]) => {
    scan(text, spec([], drops));
    return keptText(engine);
  };

  it('takes identity from where it belongs, not from decoys', () => {
    const { identity } = scan(
      '{"spec":{"metadata":{"name":"decoy"},"kind":"Decoy"},"kind":"Pod","apiVersion":"v1",' +
        '"metadata":{"labels":{"name":"decoy"},"uid":"u","namespace":"ns","resourceVersion":"7","name":"n"}}',
      spec([]),
    );

    assert.deepEqual(identity, {
      namespace: 'ns',
      name: 'n',
      uid: 'u',
      resourceVersion: '7',
      kind: 'Pod',
      apiVersion: 'v1',
    });
  });

  it('takes identity that is no string for absent', () => {
    const { identity } = scan(
      '{"kind":7,"metadata":{"name":null,"uid":["u"],"namespace":{"a":1},"resourceVersion":8}}',
      spec([]),
    );

    assert.deepEqual(identity, {});
  });

  for (const metadata of ['null', '"text"', '[{"name":"n"}]', '7', 'true', '{}']) {
    it(`finds no identity in metadata that is ${metadata}`, () => {
      assert.deepEqual(scan(`{"metadata":${metadata}}`, spec([])).identity, {});
    });
  }

  it('reads keys and values that are written with escapes', () => {
    const { identity, fields } = scan(
      '{"metad\\u0061ta":{"n\\u0061me":"a\\"\\ud83d\\ude42","l\\u0430bel":1,"lаbel":2},"\\u043a\\u043b\\u044e\\u0447":"\\u00e9"}',
      spec(['ключ', 'metadata.lаbel']),
    );

    assert.deepEqual(identity, { name: 'a"🙂' });
    assert.deepEqual(fields, ['0="é"', '1=2']);
  });

  it('counts only the last value of a key that occurs twice', () => {
    const { identity, fields, body } = scan(
      '{"metadata":{"name":"a","uid":"u","labels":{"x":"1"},"drop":1},"spec":{"a":[1,2]},' +
        '"metadata":{"name":"b","name":"c","labels":{"y":"2","drop":1}},"spec":{"a":[3]}}',
      spec(
        ['metadata.labels.keys()', 'metadata.labels.x', 'spec.a[*]', 'metadata'],
        ['metadata.drop', 'metadata.labels.drop'],
      ),
    );

    assert.deepEqual(identity, { name: 'c' });
    assert.deepEqual(fields, ['0="drop"', '0="y"', '2=3', '3={"name":"c","labels":{"y":"2","drop":1}}']);
    assert.deepEqual(body, { metadata: { name: 'c', labels: { y: '2' } }, spec: { a: [3] } });
  });

  it('takes back only what the doubled key gave', () => {
    const text = '{"a":[{"k":1,"m":2,"k":3},{"k":4}],"b":{"k":5},"metadata":{"name":"n"}}';

    assert.deepEqual(fieldsOf(text, 'a[*].k', 'a[*].m', 'b.k'), ['0=3', '0=4', '1=2', '2=5']);
  });

  it('gives a key of a map once, however often and however written it occurs', () => {
    assert.deepEqual(fieldsOf('{"m":{"a":1,"b":2,"\\u0061":3,"b":4,"\\u0062":5,"ab":6}}', 'm.keys()'), [
      '0="a"',
      '0="ab"',
      '0="b"',
    ]);
  });

  it('takes all kinds of values, whole objects too', () => {
    const text = '{"s":"t","n":-1.5e3,"t":true,"f":false,"z":null,"o":{"a":[1]},"l":[{}],"e":""}';

    assert.deepEqual(fieldsOf(text, 's', 'n', 't', 'f', 'z', 'o', 'l', 'e', 'missing'), [
      '0="t"',
      '1=-1500',
      '2=true',
      '3=false',
      '4=null',
      '5={"a":[1]}',
      '6=[{}]',
      '7=""',
    ]);
    assert.deepEqual(scan('{"a":1}', { fields: [{ id: 9, path: [] }], drops: [] }).fields, ['9={"a":1}']);
  });

  it('takes elements by index and each of them, and arrays within arrays', () => {
    const text = '{"l":[{"x":1,"y":2},{"x":3},7,[{"x":4}]]}';

    assert.deepEqual(fieldsOf(text, 'l[*].x', 'l[1].x', 'l[0].y', 'l[3][*].x', 'l[9].x', 'l[2]'), [
      '0=1',
      '0=3',
      '1=3',
      '2=2',
      '3=4',
      '5=7',
    ]);
  });

  it('does not take an object for an array, nor an array for an object', () => {
    assert.deepEqual(fieldsOf('{"l":{"0":1,"*":2},"m":["x"]}', 'l[0]', 'l[*]', 'm.x', 'm.keys()'), []);
  });

  it('gives one value to several ids, and the values of several paths to one id', () => {
    const fields = [
      { id: 1, path: path('a') },
      { id: 200, path: path('a') },
      { id: 1, path: path('b') },
    ];

    assert.deepEqual(scan('{"a":"x","b":"y"}', { fields, drops: [] }).fields, ['1="x"', '1="y"', '200="x"']);
  });

  it('tells keys apart that differ only behind their first bytes', () => {
    const keys = [
      'app.kubernetes.io/name',
      'app.kubernetes.io/namf',
      'app.kubernetes.io/nam',
      'app.kube',
      'app.kubf',
      `${'a'.repeat(70)}b`,
    ];
    const text = `{${keys.map((key, index) => `"${key}":${index}`).join(',')},"${'a'.repeat(70)}c":9}`;

    assert.deepEqual(fieldsOf(text, ...keys.map((key) => `['${key}']`)), [
      '0=0',
      '1=1',
      '2=2',
      '3=3',
      '4=4',
      '5=5',
    ]);
  });

  const cuts: [string, string][] = [
    ['{"d":1}', '{}'],
    ['{ "d" : 1 }', '{  }'],
    ['{"d":1,"a":2}', '{"a":2}'],
    ['{"a":1,"d":2}', '{"a":1}'],
    ['{"a":1 , "d":2 }', '{"a":1 }'],
    ['{"a":1,"d":2,"b":3}', '{"a":1,"b":3}'],
    ['{"d":1,"e":2}', '{}'],
    ['{"d":1,"e":2,"a":3}', '{"a":3}'],
    ['{"a":1,"d":2,"e":3}', '{"a":1}'],
    ['{"d":1,"a":2,"e":3,"b":4,"d":5}', '{"a":2,"b":4}'],
    ['{\n  "d": {\n  },\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "d": []\n}', '{\n  "a": 1\n}'],
    ['{"l":[{"x":1,"y":2},{"x":3},{"y":4,"x":5},7]}', '{"l":[{"y":2},{},{"y":4},7]}'],
    ['{"\\u0064":1,"a":2}', '{"a":2}'],
  ];
  for (const [text, expected] of cuts) {
    it(`cuts ${JSON.stringify(text)} so that JSON is left`, () => {
      assert.equal(kept(text, 'd', 'e', 'l[*].x'), expected);
    });
  }

  it('drops what lies in a dropped value with it, and takes fields from there', () => {
    const wanted = spec(['d.x.y', 'd.keys()', 'd'], ['d', 'd.x']);
    const { fields, identity } = scan('{"d":{"x":{"y":1}},"metadata":{"name":"n"}}', wanted);

    assert.deepEqual(fields, ['0=1', '1="x"', '2={"x":{"y":1}}']);
    assert.deepEqual(identity, { name: 'n' });
    assert.equal(keptText(engine), '{"metadata":{"name":"n"}}');
  });

  it('takes identity from metadata that is dropped', () => {
    const { identity, body } = scan('{"metadata":{"name":"n"},"a":1}', spec([], ['metadata']));

    assert.deepEqual(identity, { name: 'n' });
    assert.deepEqual(body, { a: 1 });
  });

  const keptCases: [string, string, ...string[]][] = [
    ['{"a":1,"k":2,"b":3}', '{"k":2}', 'k'],
    ['{"k":2,"a":1,"b":3}', '{"k":2}', 'k'],
    ['{"a":1,"b":3}', '{}', 'k'],
    ['{}', '{}', 'k'],
    ['{ "a" : 1 , "k" : 2 , "b" : 3 }', '{ "k" : 2 }', 'k'],
    ['{"o":{"a":1,"k":{"a":1},"b":2},"a":1}', '{"o":{"k":{"a":1}}}', 'o.k'],
    ['{"l":[{"x":1,"y":2},{"y":4},7,[{"y":5}]],"y":1}', '{"l":[{"x":1},{},7,[{"y":5}]]}', 'l[*].x'],
    ['{"l":{"x":1,"y":2}}', '{"l":{}}', 'l[*].x'],
    ['{"o":[{"k":1,"a":2}]}', '{"o":[{"k":1,"a":2}]}', 'o.k'],
    ['{"o":null,"p":7}', '{"o":null}', 'o.k', 'o.l'],
    ['{"o":{"a":1,"k":2},"o":{"k":3,"b":4}}', '{"o":{"k":2},"o":{"k":3}}', 'o.k'],
    ['{"o":{"a":1},"p":{"b":1}}', '{"o":{"a":1}}', 'o', 'o.k'],
    ['{"\\u006b":1,"a":2}', '{"\\u006b":1}', 'k'],
  ];
  for (const [text, expected, ...keeps] of keptCases) {
    it(`keeps ${keeps} of ${JSON.stringify(text)}, so that JSON is left`, () => {
      scan(text, spec([], [], keeps));
      assert.equal(keptText(engine), expected);
    });
  }

  it('takes identity and fields from what is not kept, also by index', () => {
    const text = '{"metadata":{"name":"n","labels":{"a":"x"}},"l":[{"k":1,"v":2},{"v":3}],"spec":{"n":"m"}}';
    const { identity, fields, body } = scan(
      text,
      spec(['spec.n', 'l[1].v', 'l[*].v', 'metadata.labels.keys()'], [], ['l[*].k']),
    );

    assert.deepEqual(identity, { name: 'n' });
    assert.deepEqual(fields, ['0="m"', '1=3', '2=2', '2=3', '3="a"']);
    assert.deepEqual(body, { l: [{ k: 1 }, {}] });
  });

  it('drops what lies in what is kept', () => {
    scan('{"o":{"a":1,"b":{"c":2,"d":3}},"p":4}', spec([], ['o.a', 'o.b.c'], ['o']));

    assert.equal(keptText(engine), '{"o":{"b":{"d":3}}}');
  });

  it('gives whole elements to a filter, and says which fields are filtered, until the program is freed', () => {
    const filter = { where: 'type', is: 'Ready' };
    const fields = [
      { id: 0, path: [{ key: 'c' }, filter, { key: 'status' }] },
      { id: 1, path: path('c[*].status') },
    ];
    const program = engine.load({ fields, drops: [] });
    const framer = new ListFramer(engine, program);
    framer.push(Buffer.from('{"items":[{"c":[{"type":"Ready","status":"True"},7]}]}'));
    framer.next();

    assert.deepEqual(readResult(engine).fields, ['0=7', '0={"type":"Ready","status":"True"}', '1="True"']);
    assert.deepEqual([...engine.filters!], [[0, { ...filter, rest: [{ key: 'status' }] }]]);
    program.free();
    assert.equal(engine.filters, undefined);
  });

  it('keeps what would need too many cuts, and counts field values only up to the limit', () => {
    const elements = Array.from({ length: SCAN_MAX_FIELDS + 5 }, () => '{"x":1,"y":2}');
    const text = `{"l":[${elements.join(',')}],"metadata":{"name":"n"}}`;
    const { identity } = scan(text, spec(['l[*].y'], ['l[*].x']));

    assert.equal(engine.resultAt(SCAN_CUT_COUNT), SCAN_MAX_CUTS);
    assert.equal(engine.resultAt(SCAN_FIELD_COUNT), SCAN_MAX_FIELDS);
    assert.notEqual(engine.resultAt(SCAN_FLAGS) & SCAN_FLAG_FIELDS_OVERFLOW, 0);
    assert.deepEqual(identity, { name: 'n' });
  });

  it('accepts as many keys side by side as a node has room for, and says so above', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, n) => `spec.key${n}`);

    assert.deepEqual(fieldsOf('{"spec":{"key0":"a","key63":"b","key64":"c"}}', ...keys(64)), [
      '0="a"',
      '63="b"',
    ]);
    assert.throws(() => engine.load(spec(keys(65))), {
      name: 'ScanSpecError',
      code: 'ERR_SCAN_SPEC',
      message: /65 keys under \["spec"\], at most 64/,
    });
  });

  const refused: [string, ScanSpec][] = [
    ['an id above 255', { fields: [{ id: 256, path: path('a') }], drops: [] }],
    ['an id that is no integer', { fields: [{ id: 0.5, path: path('a') }], drops: [] }],
    [
      'steps behind the keys of a map',
      { fields: [{ id: 0, path: [{ keys: true }, { key: 'a' }] }], drops: [] },
    ],
    ['a negative index', { fields: [{ id: 0, path: [{ at: -1 }] }], drops: [] }],
    [
      'a path of 65 steps',
      { fields: [{ id: 0, path: Array.from({ length: 65 }, () => ({ key: 'a' })) }], drops: [] },
    ],
    ['a key of 1001 bytes', { fields: [{ id: 0, path: [{ key: 'k'.repeat(1001) }] }], drops: [] }],
    ['a drop of the whole object', { fields: [], drops: [[]] }],
    ['a drop of elements', { fields: [], drops: [path('a[*]')] }],
    [
      'more than one value of a filtered element',
      { fields: [{ id: 0, path: [{ where: 'a', is: 1 }, { each: true }] }], drops: [] },
    ],
    ['a place to keep that is no key', { fields: [], drops: [], keeps: [path('a[*]')] }],
    ['a drop by index', { fields: [], drops: [path('a[0].b')] }],
    ['a drop of keys', { fields: [], drops: [path('a.keys()')] }],
  ];
  for (const [what, wanted] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => engine.load(wanted), ScanSpecError);
    });
  }

  it('walks as deep as a path may be long', () => {
    const deep = Array.from({ length: 64 }, () => 'a').join('.');
    const text = `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`;

    assert.deepEqual(fieldsOf(text, deep), ['0=1']);
  });
});

function scanItem(engine: ScanEngine, text: string, wanted: ScanSpec) {
  const program = engine.load(wanted);
  const framer = new ListFramer(engine, program);
  framer.push(Buffer.from(`{"items":[${text}]}`));
  assert.equal(framer.next(), Step.item, framer.problem?.message);
  const seen = readResult(engine);
  program.free();
  return seen;
}
