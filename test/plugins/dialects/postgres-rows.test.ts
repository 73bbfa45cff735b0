/**
 * PostgreSQL rows without a server: their bytes as JSON text equal those of the objects; when the fast path applies;
 * and connection options for the driver.
 */
import { expect } from 'chai';
import { createLayout, JsonBuffer, writeRow } from '../../../plugins/dialects/shared/json-rows.js';
import { writeObjects } from '../../../plugins/dialects/shared/json-objects.js';
import { readPostgresOptions } from '../../../plugins/dialects/postgres/options.js';
import { readRow, createRowShape } from '../../../plugins/dialects/shared/wire-rows.js';
import type { Rendering } from '../../../plugins/dialects/kind.js';
import { BY_LOCKS, SERIALIZABLE } from '../../../plugins/dialects/kind.js';

/** A row on the wire: the number of fields, and each with its length; -1 is NULL. */
function encodeRow(values: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  const fields = values.map((value) => {
    const bytes = Buffer.from(value ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return Buffer.concat([count, ...fields]);
}

const ALL: Rendering = { shape: 'many', names: null, hide: null };

/** The text of one row, and the same by way of an object. */
function renderRow(fields: readonly (readonly [string, number, string | null])[], rendering = ALL): [string, string] {
  const shape = createRowShape(fields.map(([name, dataTypeID]) => ({ name, dataTypeID })));
  const layout = createLayout(rendering, shape);
  if (layout === null) throw new Error('no layout');
  const bytes = Buffer.concat([Buffer.from('head'), encodeRow(fields.map(([, , value]) => value))]);
  const page = new JsonBuffer();
  page.addText('[');
  writeRow(layout, page, bytes, 4);
  const long = JSON.stringify(readRow(shape, bytes, 4));
  return [Buffer.from(page.flush(1)).toString(), long];
}

describe('PostgreSQL row as JSON text', () => {
  for (const [type, text, json] of [
    [25, 'a', '"a"'],
    [25, '', '""'],
    [25, ' ~é😀\u007f', '" ~é😀\u007f"'],
    ...['"', '\\', '\n', '\u001f', '\u0000'].map((sign) => [25, `a${sign}b`, JSON.stringify(`a${sign}b`)] as const),
    [1042, 'ab  ', '"ab  "'],
    [1043, 'a"', '"a\\""'],
    [2950, 'a0ee', '"a0ee"'],
    [20, '0', '0'],
    [21, '-12', '-12'],
    [23, '123456789012345', '123456789012345'],
    [20, '-99999999999999', '-99999999999999'],
    [20, '1234567890123456', '1234567890123456'],
    [20, '9007199254740993', '"9007199254740993"'],
    [701, '1.5', '1.5'],
    [701, '-1.5', '-1.5'],
    [700, '90', '90'],
    [701, '-0', '0'],
    [701, '-0.5', '-0.5'],
    [701, '1e-05', '0.00001'],
    [701, '1e+20', '100000000000000000000'],
    [701, 'NaN', '"NaN"'],
    [701, 'Infinity', '"Infinity"'],
    [1184, '2026-01-02 03:04:05+00', '"2026-01-02T03:04:05.000Z"'],
    [1184, '2026-01-02 03:04:05.6+00', '"2026-01-02T03:04:05.600Z"'],
    [1184, '2026-01-02 03:04:05.67+00', '"2026-01-02T03:04:05.670Z"'],
    [1184, '2026-01-02 03:04:05.678+00', '"2026-01-02T03:04:05.678Z"'],
    [1184, '2026-01-02 03:04:05.678901+00', '"2026-01-02T03:04:05.678901Z"'],
    [1184, 'infinity', '"infinity"'],
    [1184, '-infinity', '"-infinity"'],
    [16, 't', 'true'],
    [16, 'f', 'false'],
    [3802, '{"b": 1}', '{"b":1}'],
    [25, null, 'null'],
    [20, null, 'null'],
  ] as const) {
    it(`${JSON.stringify(text)} of type ${type} is ${json}`, () => {
      // Next to others, so that a value ends where it ends.
      const [fast, long] = renderRow([
        ['a', 25, 'x'],
        ['b', type, text],
        ['c', 23, '7'],
      ]);
      expect(fast).to.equal(long);
      expect(fast).to.equal(`{"a":"x","b":${json},"c":7}`);
    });
  }
  for (const text of [
    '2026-01-02 03:04:05+02',
    '12026-01-02 03:04:05+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-01-02 03:04:05+05:30',
    '2026-01-02 03:04:05-00',
  ])
    it(`${text} uses the general conversion`, () =>
      expect(renderRow([['a', 1184, text]])[0]).to.equal(renderRow([['a', 1184, text]])[1]));

  it('contains the named columns, in that order', () => {
    const fields = [
      ['a', 25, 'x'],
      ['b', 23, '7'],
      ['c', 23, null],
    ] as const;
    const only = (...names: string[]): string => renderRow(fields, { ...ALL, names })[0];
    expect(only('c', 'a')).to.equal('{"c":null,"a":"x"}');
    expect(only('b', 'away')).to.equal('{"b":7}');
    expect(only('away')).to.equal('{}');
    expect(only()).to.equal('{}');
  });

  it('contains the last of two columns of one name', () => {
    expect(
      renderRow(
        [
          ['a', 25, 'x'],
          ['a', 25, 'y'],
        ],
        { ...ALL, names: ['a'] },
      )[0],
    ).to.equal('{"a":"y"}');
  });

  it('is built from objects if an object would order or lose its names, or if values are redacted', () => {
    const fits = (names: string[], type = 25, rendering: Rendering = ALL): boolean =>
      createLayout(rendering, createRowShape(names.map((name) => ({ name, dataTypeID: type })))) !== null;
    for (const name of ['a', '_1', 'A9', 'constructor', '__proto__x', 'x__proto__'])
      expect(fits([name]), name).to.equal(true);
    for (const name of ['__proto__', '1', '9a', 'a b', 'a-b', 'é', '', '?column?'])
      expect(fits([name]), name).to.equal(false);
    expect(fits(['a', 'b', 'a'])).to.equal(false);
    const hiding: Rendering = { ...ALL, hide: (row) => row };
    for (const type of [114, 199, 3802, 3807]) {
      expect(fits(['a'], type, hiding)).to.equal(false);
      expect(fits(['a', 'b'], type, { ...hiding, names: ['away'] })).to.equal(true);
      expect(fits(['a'], type)).to.equal(true);
    }
    expect(fits(['a'], 25, hiding)).to.equal(true);
  });

  it('of any length has enough space, and a large buffer is released', () => {
    for (const size of [16_380, 16_384, 40_000, 1 << 20, (1 << 20) + 1]) {
      const [fast, long] = renderRow([
        ['a', 25, 'x'.repeat(size)],
        ['b', 25, `${'"'.repeat(size % 50_000)}é`],
        ['c', 20, '1'],
      ]);
      expect(fast === long, String(size)).to.equal(true);
    }
    const page = new JsonBuffer();
    page.copy(Buffer.alloc(20_000), 0, 20_000);
    page.flush(0);
    expect(page.length).to.equal(0);
    expect(page.bytes.length).to.be.within(20_000, 1 << 20);
    page.reserve((1 << 20) + 1);
    page.flush(0);
    expect(page.bytes.length).to.equal(16_384);
  });

  it('has space for the last byte of a full buffer, and for text of three bytes a character', () => {
    const full = new JsonBuffer();
    full.copy(Buffer.alloc(full.bytes.length), 0, full.bytes.length);
    full.add(0x7d);
    expect(full.flush(0).at(-1)).to.equal(0x7d);
    const text = '€'.repeat(6000);
    const page = new JsonBuffer();
    page.addText(text);
    expect(Buffer.from(page.flush(0)).toString() === text).to.equal(true);
  });

  it('is not changed when its buffer is used again', () => {
    const page = new JsonBuffer();
    page.addText('first');
    const taken = page.flush(0);
    page.addText('other');
    expect(Buffer.from(taken).toString()).to.equal('first');
  });
});

describe('rows from objects, as JSON text', () => {
  const rows = [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ];
  for (const [shape, count, json] of [
    ['many', 2, '[{"a":1,"b":2},{"a":3,"b":4}]'],
    ['many', 1, '[{"a":1,"b":2}]'],
    ['many', 0, '[]'],
    ['one', 2, '{"a":1,"b":2}'],
    ['one', 0, 'null'],
    ['count', 2, '[{"a":1,"b":2},{"a":3,"b":4}]'],
    ['count', 1, '{"a":1,"b":2}'],
    ['count', 0, 'null'],
  ] as const) {
    it(`${shape} of ${count}`, () =>
      expect(Buffer.from(writeObjects({ ...ALL, shape }, rows.slice(0, count))).toString()).to.equal(json));
  }
  it('contain requested and existing names, without redacted values', () => {
    const text = (rendering: Partial<Rendering>): string =>
      Buffer.from(writeObjects({ ...ALL, shape: 'one', ...rendering }, rows)).toString();
    expect(text({ names: ['b', 'away', 'toString'] })).to.equal('{"b":2}');
    expect(text({ hide: () => ({ c: 1 }) })).to.equal('{"c":1}');
    expect(text({ names: ['b'], hide: (row) => ({ ...(row as object), c: 1 }) })).to.equal('{"b":2,"c":1}');
  });
});

describe('options of a PostgreSQL connection', () => {
  it('have defaults; times are seconds in the config', () => {
    const { client, isolation, limits, ...rest } = readPostgresOptions({ url: 'postgres://u@h/d' });
    expect(limits).to.deep.equal({ rows: 500_000, bytes: 67_108_864, checkFrom: 1_048_576 });
    expect(rest).to.deep.equal({
      ...{ readers: 3, inserters: 2, pool: 7, deadline: 10_500, patience: 2000, streams: true },
      isReplica: false,
    });
    expect(client).to.deep.equal({
      ...{
        connectionString: 'postgres://u@h/d',
        options: '-c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed',
      },
      ...{ application_name: 'lintel', keepAlive: true, statement_timeout: 10_000 },
      ...{ idle_in_transaction_session_timeout: 40_000, connectionTimeoutMillis: 2000, idleTimeoutMillis: 30_000 },
    });
    const levels = (['locks', 'snapshot', 'serializable'] as const).map((level) => isolation({ level, among: false }));
    expect(levels).to.deep.equal(['read committed', 'repeatable read', 'serializable']);
    // Only serializable transactions notice one another.
    expect(isolation({ level: 'locks', among: true })).to.equal('serializable');
    const own = readPostgresOptions({
      statement_timeout: 0.5,
      pool_wait: 3,
      idle_timeout: 4,
      isolation: 'serializable',
    });
    expect(own.client).to.include({ statement_timeout: 500, connectionTimeoutMillis: 3000, idleTimeoutMillis: 4000 });
    expect(own.client).to.include({ idle_in_transaction_session_timeout: 30_500, connectionString: '' });
    expect([own.deadline, own.isolation(SERIALIZABLE), own.isolation(BY_LOCKS)]).to.deep.equal([
      1000,
      'serializable',
      'serializable',
    ]);
  });

  for (const [size, readers, inserters, pool] of [
    [1, 0, 0, 1],
    [2, 0, 0, 2],
    [3, 1, 0, 2],
    [4, 1, 1, 3],
    [9, 3, 2, 6],
    [12, 4, 2, 8],
    [100, 4, 2, 96],
  ] as const) {
    it(`divide ${size} connections: ${readers} for reads, ${inserters} for inserts, ${pool} per caller`, () =>
      expect(readPostgresOptions({ pool_size: size })).to.include({ readers, inserters, pool }));
  }

  for (const [url, connectionString, options] of [
    [
      'postgres://h/d?options=-c%20a%3D1',
      'postgres://h/d',
      '-c a=1 -c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed',
    ],
    [
      'postgres://h/d?options=x&ssl=true',
      'postgres://h/d?ssl=true',
      'x -c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed',
    ],
    [
      'postgres://h/d?ssl=true',
      'postgres://h/d?ssl=true',
      '-c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed',
    ],
    ['no address', 'no address', '-c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed'],
  ] as const) {
    it(`override the settings of ${url}`, () =>
      expect(readPostgresOptions({ url }).client).to.include({ connectionString, options }));
  }
});
