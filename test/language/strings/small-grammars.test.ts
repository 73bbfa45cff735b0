/**
 * The small grammars of definitions: paths into data, paths of resources, placeholders of documents, names of headers,
 * redacted secrets, sample secrets, numbers in larger units and zones.
 */
import { expect } from 'chai';
import { HEADER_NAME } from '../../../language/strings/header.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { compilePath, splitPath, writePath } from '../../../language/strings/path.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import { formatLargerUnits, formatWithUnit } from '../../../language/strings/format-quantity.js';
import {
  fillPath,
  hasParameters,
  listParameterSpans,
  listPathParameters,
  toPathShape,
} from '../../../language/strings/route.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import { isZone, createLocalClock } from '../../../language/strings/zone.js';
import { listAccessors } from '../../../language/strings/accessor.js';

describe('paths into data', () => {
  const data = { a: { b: [{ c: 1 }, null] }, '': 2, n: null, 'x.y': 3 };
  const READ: readonly (readonly [path: string, value: unknown])[] = [
    ['a.b.0.c', 1],
    ['a.b.1', null],
    ['a.b.1.c', undefined],
    ['a.b.2', undefined],
    ['a.b.length', 2],
    ['n', null],
    ['n.x', undefined],
    ['', 2],
    ['x.y', undefined],
    ['a.toString', undefined],
    ['toString', undefined],
    ['__proto__', undefined],
    ['a.__proto__.b', undefined],
    ['a.constructor', undefined],
  ];
  for (const [path, value] of READ) {
    it(`"${path}" reads ${JSON.stringify(value) ?? 'undefined'}`, () =>
      expect(compilePath(splitPath(path))(data)).to.equal(value));
  }

  it('read undefined from a value that is not an object, and the whole value without segments', () => {
    for (const root of ['text', 5, null, undefined, true]) expect(compilePath(['length'])(root)).to.equal(undefined);
    expect(compilePath([])(data)).to.equal(data);
    const own = JSON.parse('{ "__proto__": 1, "prototype": 2, "constructor": 3 }') as unknown;
    for (const name of ['__proto__', 'prototype', 'constructor']) expect(compilePath([name])(own)).to.equal(undefined);
  });

  it('create the objects on the way when written', () => {
    const root: Record<string, unknown> = { kept: 1, list: [1], inner: { a: 1 } };
    writePath(root, ['inner', 'b', 'c'], 2);
    writePath(root, ['list', 'x'], 3);
    writePath(root, ['toString', 'x'], 4);
    writePath(root, ['one'], 5);
    expect(root).to.deep.equal({
      ...{ kept: 1, list: { x: 3 }, inner: { a: 1, b: { c: 2 } }, toString: { x: 4 }, one: 5 },
    });
    writePath(root, ['inner', '__proto__', 'polluted'], 6);
    writePath(root, ['constructor'], 7);
    expect(Object.keys(root)).not.to.include('constructor');
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });
});

describe('paths of resources', () => {
  const SPANS: readonly (readonly [path: string, names: readonly string[], shape: string])[] = [
    ['users', [], 'users'],
    ['users/:id', ['id'], 'users/:'],
    [':id', ['id'], ':'],
    ['/:a/b/:c-d/e', ['a', 'c-d'], '/:/b/:/e'],
    ['a:b/c', [], 'a:b/c'],
    ['a/:', [], 'a/:'],
    ['', [], ''],
  ];
  for (const [path, names, shape] of SPANS) {
    it(`"${path}" has ${names.length === 0 ? 'no parameters' : names.join(', ')}`, () => {
      expect(listPathParameters(path)).to.deep.equal(names);
      expect(listParameterSpans(path).map(({ start, end }) => path.slice(start, end))).to.deep.equal(names);
      expect(hasParameters(path)).to.equal(names.length > 0);
      expect(toPathShape(path)).to.equal(shape);
    });
  }

  it('are filled in by name', () =>
    expect(fillPath('a/:id/b/:other', (name) => `<${name}>`)).to.equal('a/<id>/b/<other>'));
});

describe('placeholders of documents', () => {
  const CASES: readonly (readonly [json: unknown, entry: number | null])[] = [
    ['$0', 0],
    ['$1', 1],
    ['$12', 12],
    ['$99999', 99_999],
    ['$100000', null],
    ['$01', null],
    ['$-1', null],
    ['$', null],
    ['$1 ', null],
    ['x$1', null],
    ['$1a', null],
    ['1', null],
    [1, null],
    [null, null],
    [['$1'], null],
  ];
  for (const [json, entry] of CASES) {
    it(`${JSON.stringify(json)}: ${entry ?? 'none'}`, () => expect(parsePlaceholder(json)).to.equal(entry));
  }
});

describe('header names', () => {
  it('are tokens', () => {
    for (const name of ['a', 'X-Request-ID', 'x_y.z', "!#$%&'*+-.^_`|~", '0'])
      expect(HEADER_NAME.test(name), name).to.equal(true);
    for (const name of [
      '',
      'a b',
      'a:',
      'a\n',
      'é',
      '"a"',
      'a,b',
      '(a)',
      'a/b',
      'a;b',
      '<a>',
      '{a}',
      'a\\',
      '[a]',
      'a@b',
      'a=b',
      'a?',
    ])
      expect(HEADER_NAME.test(name), name).to.equal(false);
  });
});

describe('variables of a document database', () => {
  for (const name of ['ROOT', 'CURRENT', 'NOW', 'REMOVE', 'DESCEND', 'PRUNE', 'KEEP']) {
    it(`$$${name} is text, $${name} is an accessor`, () => {
      expect(listAccessors(`$$${name}.a`)).to.deep.equal([]);
      expect(listAccessors(`$${name}.a`).map(({ root }) => root)).to.deep.equal([name]);
    });
  }
});

describe('redacted secrets', () => {
  const hide = createHider(new Set(['password', 'pin']), ['mine.password', '0.card.pin', 'open']);
  const CASES: readonly (readonly [title: string, data: unknown, shown: unknown])[] = [
    ['leave objects', { id: 1, password: 'x' }, { id: 1 }],
    ['are removed from objects at any depth', { a: { b: [{ pin: 1, c: 2 }] } }, { a: { b: [{ c: 2 }] } }],
    ['are removed from lists of rows', [{ password: 'x' }, { id: 2 }], [{}, { id: 2 }]],
    ['are removed from lists of lists', [[{ pin: 1 }]], [[{}]]],
    ['remain if their path is named', { mine: { password: 'x', pin: 1 } }, { mine: { password: 'x' } }],
    [
      'remain in any item of a named list',
      [{ card: { pin: 1 } }, { card: { pin: 2 } }],
      [{ card: { pin: 1 } }, { card: { pin: 2 } }],
    ],
    ['are removed if another path is named', { other: { password: 'x' } }, { other: {} }],
    ['are removed with all that is inside', { password: { id: 1 } }, {}],
    ['are removed without what follows', { pin: 1, a: 1, password: 2, b: 2 }, { a: 1, b: 2 }],
    ['are found by name, not by value', ['password', { a: 'pin' }, null], ['password', { a: 'pin' }, null]],
  ];
  for (const [title, data, shown] of CASES) {
    it(title, () => {
      const before = JSON.stringify(data);
      expect(hide(data)).to.deep.equal(shown);
      expect(JSON.stringify(data)).to.equal(before);
    });
  }

  it('remain if a path continues after them', () => {
    const inside = createHider(new Set(['card']), ['user.card.digits']);
    expect(inside({ user: { card: { digits: 1, owner: 2 } } })).to.deep.equal({
      user: { card: { digits: 1, owner: 2 } },
    });
    expect(createHider(new Set(['card']), ['user.cards'])({ user: { card: 1 } })).to.deep.equal({ user: {} });
  });

  it('cost nothing if absent: the same value is returned', () => {
    const rows = [{ id: 1, tags: ['a'], at: new Uint8Array(2) }];
    expect(hide(rows)).to.equal(rows);
    expect(hide(null)).to.equal(null);
    expect(hide('password')).to.equal('password');
    const secret = { password: 1 };
    expect(createHider(new Set(), [])(secret)).to.equal(secret);
  });
});

describe('sample secrets', () => {
  const SAMPLES = [
    ...[
      'secret',
      'my-secret',
      'My Secret Key',
      'my_super_secret',
      'mySuperSecretKey',
      'super secret',
      'supersecretkey',
    ],
    ...[
      'secret-key',
      'your_secret',
      'your-secret-key',
      'your-jwt-secret',
      'your-256-bit-secret',
      'your-384-bit-secret',
    ],
    ...['your-512-bit-secret', 'jwt_secret', 'JWT_SECRET_KEY', 'shhhhh', 'keyboard cat', 'CHANGE_ME', 'change-this'],
    ...['replace_me', 'password', 'example', 'encryption key', 'your-encryption-key', 'changeit', 'undefined', 'null'],
    ...['a-string-secret-at-least-256-bits-long', 'a-valid-string-secret-that-is-at-least-384-bits-long'],
    'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
    ...['replace with a random key', 'YELLOW SUBMARINE, BLACK WIZARDRY'],
  ];
  for (const text of SAMPLES) it(`contain "${text}"`, () => expect(isSampleSecret(text)).to.equal(true));

  it('contain no other texts', () => {
    for (const text of ['', 'secrets', 'my secret 2', 'passw0rd', 'ffd8e1c2'])
      expect(isSampleSecret(text), text).to.equal(false);
  });
});

describe('numbers in larger units', () => {
  const CASES: readonly (readonly [value: number, unit: string, words: string | null])[] = [
    [60, 'seconds', '1 minute'],
    [172_800, 'seconds', '2 days'],
    [90_000, 'seconds', '1 day 1 hour'],
    [86_460, 'seconds', '1 day 1 minute'],
    [3661, 'seconds', null],
    [0.001, 'seconds', '1 millisecond'],
    [0.0005, 'seconds', null],
    [1.0005, 'seconds', null],
    [1234, 'bytes', null],
    [1000, 'milliseconds', '1 second'],
    [60_000, 'milliseconds', '1 minute'],
    [3_600_000, 'milliseconds', '1 hour'],
    [86_400_000, 'milliseconds', '1 day'],
    [500, 'milliseconds', null],
    [1, 'milliseconds', null],
    [1024, 'bytes', '1 KiB'],
    [1000, 'bytes', '1 kB'],
    [1_048_576, 'bytes', '1 MiB'],
    [1_000_000, 'bytes', '1 MB'],
    [1_073_741_824, 'bytes', '1 GiB'],
    [1_000_000_000, 'bytes', '1 GB'],
    [1_099_511_627_776, 'bytes', '1 TiB'],
    [1_000_000_000_000, 'bytes', '1 TB'],
    [921.6, 'bytes', null],
    [1, 'bytes', null],
    [1024, 'KiB', '1 MiB'],
    [1_048_576, 'KiB', '1 GiB'],
    [2, 'KiB', null],
    [1.5, 'KiB', null],
    [Infinity, 'bytes', null],
  ];
  for (const [value, unit, words] of CASES) {
    it(`${value} ${unit}: ${words ?? 'none'}`, () => expect(formatLargerUnits(value, unit)).to.equal(words));
  }

  it('agree in number only if the unit is a word', () => {
    expect(formatWithUnit(1, 'bytes')).to.equal('1 byte');
    expect(formatWithUnit(0, 'bytes')).to.equal('0 bytes');
    expect(formatWithUnit(1, 'MS')).to.equal('1 MS');
  });
});

describe('time zone names', () => {
  it('may be short if they mean one zone', () => {
    for (const name of [
      'UTC',
      'GMT',
      'UCT',
      'CET',
      'MET',
      'EET',
      'WET',
      'EST',
      'MST',
      'HST',
      'ROC',
      'ROK',
      'PRC',
      'EST5EDT',
      'GMT0',
    ])
      expect(isZone(name), name).to.equal(true);
    for (const name of ['CST', 'BST', 'ACT', 'PRT', 'JST', 'AEST', ' UTC', '1UTC'])
      expect(isZone(name), name).to.equal(false);
  });

  it('have clocks that show midnight as hour 0, in summer and in winter', () => {
    const toWallTime = (zone: string, instant: string): string =>
      new Date(createLocalClock(zone)(Date.parse(instant))).toISOString();
    expect(toWallTime('UTC', '2026-01-01T00:00:00.250Z')).to.equal('2026-01-01T00:00:00.250Z');
    expect(toWallTime('Europe/Berlin', '2025-12-31T23:00:00.007Z')).to.equal('2026-01-01T00:00:00.007Z');
    expect(toWallTime('Europe/Berlin', '2026-07-31T22:59:58Z')).to.equal('2026-08-01T00:59:58.000Z');
    expect(toWallTime('America/St_Johns', '2026-03-01T01:10:00.999Z')).to.equal('2026-02-28T21:40:00.999Z');
  });
});
