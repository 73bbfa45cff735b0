/** The layer between the product and the MongoDB driver, without a server: options, BSON values, and locks. */
import {
  Binary,
  BSONRegExp,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import { expect } from 'chai';
import { readMongoSettings } from '../../../plugins/document-stores/mongodb/options.js';
import { createTurnQueue, createTurnKey } from '../../../plugins/document-stores/mongodb/turns.js';
import { toPlainDocument } from '../../../plugins/document-stores/mongodb/values.js';

const URL = 'mongodb://user:pass@host:27017';
describe('options of a MongoDB store', () => {
  it('are milliseconds for the driver, with defaults', () => {
    const settings = readMongoSettings({ url: URL });
    expect(settings).to.deep.include({ url: URL, database: 'lintel', deadline: 10_000 });
    expect(settings?.client).to.deep.include({
      maxPoolSize: 11,
      waitQueueTimeoutMS: 2000,
      serverSelectionTimeoutMS: 2000,
      connectTimeoutMS: 2000,
      maxIdleTimeMS: 30_000,
      retryWrites: true,
      retryReads: true,
      readPreference: 'primary',
      readConcern: { level: 'majority' },
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
      appName: 'lintel',
      promoteLongs: true,
    });
    expect(settings?.transaction).to.deep.equal({
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
      readPreference: 'primary',
      maxCommitTimeMS: 10_000,
    });
  });

  it('are read from the config, with a minimum of a millisecond', () => {
    const options = {
      url: URL,
      pool_size: 3,
      statement_timeout: 1.5,
      pool_wait: 0.25,
      idle_timeout: 0.5,
      database: 'shop',
    };
    const settings = readMongoSettings(options);
    expect([settings?.deadline, settings?.database]).to.deep.equal([1500, 'shop']);
    expect(settings?.client).to.deep.include({
      maxPoolSize: 4,
      waitQueueTimeoutMS: 250,
      serverSelectionTimeoutMS: 250,
      connectTimeoutMS: 250,
      maxIdleTimeMS: 500,
    });
    const least = readMongoSettings({ url: URL, statement_timeout: 0.0001, pool_wait: 0.0001 });
    expect([least?.deadline, least?.client.waitQueueTimeoutMS]).to.deep.equal([1, 1]);
  });

  for (const [url, database] of [
    ['mongodb://host', 'lintel'],
    ['mongodb://host/', 'lintel'],
    ['mongodb://host/?tls=true', 'lintel'],
    ['mongodb://host/shop', null],
    ['mongodb://a:1,b:2/shop?tls=true', null],
    ['mongodb+srv://host/shop', null],
    ['mongodb+srv://host', 'lintel'],
  ] as const)
    it(`contain ${database === null ? 'a' : 'no'} database name for ${url}`, () =>
      expect(readMongoSettings({ url })?.database).to.equal(database));

  for (const url of [
    undefined,
    5,
    '',
    'mongodb://',
    'http://host',
    'x mongodb://host',
    'mongodb+tcp://host',
    'mongodb:/host',
  ])
    it(`reject the URL ${String(url)}`, () => expect(readMongoSettings({ url })).to.equal(null));
});

describe('BSON values', () => {
  const id = new ObjectId();
  const uuid = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
  for (const [title, given, expected] of [
    ['an id', id, id],
    ['a decimal', Decimal128.fromString('12.50'), 12.5],
    ['a decimal with a zero inside', Decimal128.fromString('1020.30'), 1020.3],
    ['a whole decimal', Decimal128.fromString('1200'), 1200],
    ['a decimal with an exponent', Decimal128.fromString('1E+3'), 1000],
    ['a small decimal', Decimal128.fromString('-0.00012'), -0.00012],
    ['zero as a decimal', Decimal128.fromString('0.00'), 0],
    ['a decimal that a double cannot hold', Decimal128.fromString('12345678901234567890.1'), '12345678901234567890.1'],
    ['a decimal that is not a number', Decimal128.fromString('NaN'), 'NaN'],
    ['an infinite decimal', Decimal128.fromString('-Infinity'), '-Infinity'],
    ['a long', Long.fromString('9007199254740993'), '9007199254740993'],
    ['an integer', new Int32(5), 5],
    ['a double', new Double(1.5), 1.5],
    ['bytes', new Binary(Buffer.from('abc')), 'YWJj'],
    ['a UUID', new UUID(uuid), uuid],
    ['a timestamp', new Timestamp({ t: 5, i: 1 }), new Date(5000)],
    ['a pattern', new BSONRegExp('a+', 'i'), '/a+/i'],
    ['a pattern of JavaScript', /a+/i, '/a+/i'],
    ['code', new Code('x()'), 'x()'],
    ['a reference', new DBRef('other', id), { collection: 'other', _id: id }],
    ['the minimum key', new MinKey(), 'MinKey'],
    ['the maximum key', new MaxKey(), 'MaxKey'],
    ['a time', new Date(5), new Date(5)],
    ['null', null, null],
    ['a field named like a type marker', { _bsontype: 'Int32' }, { _bsontype: 'Int32' }],
  ] as const)
    it(title, () => {
      expect(toPlainDocument({ v: given, list: [[given]], inner: { v: given } })).to.deep.equal({
        v: expected,
        list: [[expected]],
        inner: { v: expected },
      });
    });

  it('are converted below a field named like the prototype', () => {
    const document = toPlainDocument(JSON.parse('{"a": 1}') as Record<string, unknown>);
    Object.defineProperty(document, '__proto__', {
      value: new Int32(7),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    const made = toPlainDocument(document);
    expect(Object.getOwnPropertyDescriptor(made, '__proto__')).to.deep.equal({
      value: 7,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    expect(Object.getPrototypeOf(made)).to.equal(Object.prototype);
  });
});

describe('queues of documents', () => {
  it('run one after another, and those of different keys in parallel', async () => {
    const turns = createTurnQueue();
    const order: string[] = [];
    const first = await turns.acquire('a', 10_000);
    const second = turns.acquire('a', 10_000).then((leave) => (order.push('second'), leave));
    const third = turns.acquire('a', 10_000).then((leave) => (order.push('third'), leave));
    (await turns.acquire('b', 10_000))();
    order.push('other');
    first();
    first();
    const leave = await second;
    expect(order).to.deep.equal(['other', 'second']);
    leave();
    (await third)();
    (await turns.acquire('a', 10_000))();
    expect(order).to.deep.equal(['other', 'second', 'third']);
  });

  it('reject after a timeout, and the next one keeps waiting', async () => {
    const turns = createTurnQueue();
    const first = await turns.acquire('a', 10_000);
    const [tired, patient] = [turns.acquire('a', 1), turns.acquire('a', 10_000)];
    const rejected = await tired.then(
      () => null,
      (error: unknown) => error,
    );
    expect(rejected).to.have.property('code', 'QRY_TIMEOUT');
    expect(rejected).to.have.nested.property('options.headers.retry-after', '1');
    first();
    (await patient)();
  });

  it('have a key of three digits for a collection and a filter', () => {
    expect(createTurnKey('a', { b: 1 })).to.match(/^[0-9a-f]{3}$/);
    expect(createTurnKey('a', { b: 1 })).to.equal(createTurnKey('a', { b: 1 }));
    expect(
      new Set([createTurnKey('a', { b: 1 }), createTurnKey('a', { b: 2 }), createTurnKey('c', { b: 1 })]).size,
    ).to.equal(3);
  });
});
