/** JSON texts that are hard to get right. */

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + 1 + close.repeat(depth);
}

function fill(count: number, element: (i: number) => unknown): string {
  return JSON.stringify({ a: Array.from({ length: count }, (_, i) => element(i)) });
}

function keys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));
}

function strings(...lengths: number[]): string {
  return JSON.stringify(Object.fromEntries(lengths.map((length) => [`s${length}`, 'x'.repeat(length)])));
}

const NUMBERS =
  '0 -0 1 -1 15 16 -16 127 128 1e400 -1e400 1E-400 9007199254740993 9007199254740991 -9007199254740991 999999999999999 ' +
  '-999999999999999 1000000000000000 1073741822 1073741823 1073741824 -1073741822 -1073741823 4294967296 1.50 0.1 -0.0 ' +
  '1e5 1E-7 1e+5 0e0 -0e0 123456789012345678901234567890 1.7976931348623157e308 5e-324';

export const VALID: readonly string[] = [
  ...['{}', '[]', '""', 'null', 'true', 'false', '"x"', ' \t\r\n{}\n'],
  ...NUMBERS.split(' '),
  `[${NUMBERS.split(' ').join(',')}]`,
  // Keys.
  ...[
    '{"":1}',
    '{"":{"":{"":""}}}',
    '{"__proto__":1}',
    '{"__proto__":{"a":1},"b":2}',
    '{"a":{"__proto__":null}}',
  ],
  ...['{"constructor":1,"toString":2,"hasOwnProperty":3}', '{"a":1,"a":2}', '{"a":1,"b":2,"a":3}'],
  ...[
    '{"b":1,"__proto__":1,"__proto__":2}',
    '{"1":1,"0":2,"a":3,"-1":4}',
    '{"4294967295":1,"4294967294":2,"01":3}',
  ],
  ...['{"a\\"b":1,"c\\\\":2,"\\u0041":3,"A":4,"\\n":5}', '{"k\\u00e9":"\\u00e9","é":"é"}', '{"\\ud800":1}'],
  ...[
    '{"k0":1,"\\"":2,"\\\\":3}',
    '{"a":1,"\\u0061":2}',
    '{"__proto\\u005f_":{"x":1}}',
    '{"a b":1,"c\\td":2}',
  ],
  ...['{"`$x`":1,"\'":2,"\\"+x+\\"":3,"]:x,[":4}', `{"${'k'.repeat(399)}":1,"${'k'.repeat(400)}":2}`],
  // Strings.
  '{"a":"é","b":"日本語","c":"😀","d":"\\ud83d\\ude00","e":"\\ud800","f":"\\udc00x","g":"\\ud800\\u0041"}',
  '{"h":"\\u0000","i":"\\u007f\\u0080\\u07ff\\u0800\\uffff","j":"\\ud800\\ud800\\udc00","k":"é\\ud800é"}',
  '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t","b":"\\uD83D\\uDE00\\uABCD\\uabcd"}',
  ...[
    '["\u2028\u2029\ufeff"]',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '["\u007f\u0080\u07ff\u0800\ud7ff\ue000\ufffd"]',
  ],
  ...['["\u{10000}","\u{10ffff}"]', '"a\\u0022b"', '["a\\"b","a\\\\","\\\\\\""]'],
  strings(0, 1, 2, 12, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 1023, 1024, 1025),
  JSON.stringify({ big: 'x'.repeat(300_000), wide: 'é'.repeat(50_000), escaped: '\n'.repeat(50_000) }),
  // Arrays and nesting.
  ...['{"a":[[],{},[[]],[{}],"",null,true,false]}', ' { "a" : [ 1 , 2 , { "b" : null } ] , "c" : "x" } '],
  ...[0, 1, 4, 5, 6, 29, 30, 31, 32, 255, 1000].map((count) => fill(count, (i) => i)),
  ...[30, 31].map((count) => fill(count, (i) => [i, null, { b: [`x${i}`] }])),
  ...[nested(99, '[', ']'), nested(100, '[', ']'), nested(100, '{"a":', '}'), nested(50, '[{"a":', '}]')],
  // Large maps, also larger than a shape can be.
  ...[127, 128, 129, 3000].map(keys),
  // Metadata in unusual places.
  ...[
    '{"metadata":null}',
    '{"metadata":[{"managedFields":1}]}',
    '{"spec":{"metadata":{"uid":"12345678901234567890"}}}',
  ],
  '{"spec":{"x":"a string of the pool"},"metadata":{"uid":"another string of the pool"}}',
  '{"metadata":{"uid":"first string of the pool"},"metadata":{"uid":"second string of the pool"}}',
];

/** What is no JSON, and what JSON.parse takes for none. */
export const INVALID: readonly string[] = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[',
    ']',
    '"',
    '{"',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
  ],
  ...[
    "{'a':1}",
    '{"a":1 "b":2}',
    '{,}',
    '{"a":,}',
    '{1:1}',
    '{null:1}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1}',
    '{"a":1]',
    '[]]',
  ],
  ...[
    '{}{}',
    '{} x',
    'x',
    'nul',
    'nullx',
    'True',
    'tru',
    'falsy',
    'fals',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  ...[
    '01',
    '-01',
    '00',
    '+1',
    '.5',
    '-.5',
    '1.',
    '1.e5',
    '1e',
    '1e+',
    '1e-',
    '-',
    '--1',
    '1.2.3',
    '1e5.5',
    '0x10',
    '1_000',
  ],
  ...[
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\u',
    '"\\',
    '"\\u123',
    '"a\nb"',
    '"\t"',
    '"\u0000"',
    '"\u001f"',
    '"a\\"',
  ],
  ...[
    '{"a\nb":1}',
    '{"a\\xb":1}',
    '{"a":1\u0000}',
    '\u0000{}',
    '{}\u0000',
    '\ufeff{}',
    '// c\n{}',
    '{}/**/',
    '[1]\u00a0',
  ],
  ...[
    '{"a":1}}',
    '[[1]',
    '[{"a":[1}]',
    '\v{}',
    '\f{}',
    '{"a":1;"b":2}',
    '"\\ud800',
    '"\\ud800\\',
    '"\\ud800\\u',
    '["a" "b"]',
  ],
];

/** Not UTF-8, in a string or a key. */
export const INVALID_UTF8: readonly (readonly number[])[] = [
  ...[
    [0x80],
    [0xbf],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xc3],
    [0xc3, 0x28],
    [0xe0, 0x80, 0x80],
    [0xe0, 0x9f, 0xbf],
  ],
  ...[
    [0xe2, 0x82],
    [0xe2, 0x28, 0xa1],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xf0, 0x80, 0x80, 0x80],
  ],
  ...[
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf0, 0x9f, 0x98],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xfe],
    [0xff],
  ],
];
