/** Cases of a MongoDB server: slow, rejected login, values, rules and indexes of other programs. */
import { Binary, Code, Decimal128, Double, Int32, Long, MaxKey, MongoClient, Timestamp, UUID } from 'mongodb';
import { expect } from 'chai';
import mongodb from '../../plugins/document-stores/mongodb/runtime.js';
import type { DocumentStore, DocumentTransaction } from '../../plugins/document-stores/kind.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { defineColumn, catchFault } from './dialect-support.js';
import { removeIds, defineCollection, createStoreOpener, retryUntilSuccess } from './document-store-support.js';
import { skipTest } from '../support/skip.js';

const { open, closeAll } = createStoreOpener(mongodb);

describe('document store mongodb, with a server', () => {
  let url = '';
  const others: MongoClient[] = [];
  const driver = async (): Promise<MongoClient> => {
    const client = await new MongoClient(url).connect();
    others.push(client);
    return client;
  };

  before(async function () {
    const server = await startMongo();
    if ('skip' in server) skipTest(this, server.skip);
    url = await createMongoDatabase();
  });
  afterEach(closeAll);
  after(() => Promise.all(others.map((client) => client.close())));

  it('waits for other requests before a read that precedes a write, also for those of another process', async () => {
    const stores = [await open(url), await open(url)].map(({ handle }) => handle);
    await stores[0]?.insert('turns', [{ _id: 'one', n: 0 }], null);
    const chain = async (handle: DocumentStore): Promise<void> => {
      const inside = await handle.begin();
      const [found] = await handle.find('turns', { _id: 'one' }, { lock: true }, inside);
      await handle.update('turns', { _id: 'one' }, { $set: { n: Number(found?.['n']) + 1 } }, {}, inside);
      if (inside !== null) await handle.commit(inside);
    };
    await Promise.all(stores.flatMap((handle) => Array.from({ length: 10 }, () => chain(handle))));
    expect(await stores[1]?.find('turns', {}, {}, null)).to.deep.equal([{ _id: 'one', n: 20 }]);
  });

  it('rejects a request that waits too long for its lock, and the next one continues', async () => {
    const { handle } = await open(url, { statement_timeout: 0.3 });
    const read = (inside: DocumentTransaction | null): Promise<unknown> =>
      handle.find('slow', { n: 1 }, { lock: true }, inside);
    const [first, second] = [await handle.begin(), await handle.begin()];
    await read(first);
    expect((await catchFault(read(second))).code).to.equal('QRY_TIMEOUT');
    for (const inside of [second, first]) if (inside !== null) await handle.rollback(inside);
    const third = await handle.begin();
    expect(await read(third)).to.deep.equal([]);
    if (third !== null) await handle.rollback(third);
  });

  it('returns numbers as numbers, those that a double cannot represent and everything else as text', async () => {
    const [{ handle }, client] = [await open(url), await driver()];
    await client
      .db()
      .collection('types')
      .insertOne({
        long: Long.fromNumber(5),
        large: Long.fromString('9007199254740993'),
        int: new Int32(7),
        double: new Double(3),
        decimal: Decimal128.fromString('12.50'),
        power: Decimal128.fromString('1E+3'),
        exact: Decimal128.fromString('0.1'),
        precise: Decimal128.fromString('0.1000000000000000055511151231257827'),
        nan: Decimal128.fromString('NaN'),
        binary: new Binary(Buffer.from('hello')),
        uuid: new UUID('0198c0de-0000-4000-8000-000000000001'),
        pattern: /a+/i,
        code: new Code('return 1'),
        stamp: new Timestamp({ t: 1700000000, i: 1 }),
        max: new MaxKey(),
        list: [Long.fromNumber(1), { deep: Decimal128.fromString('2') }],
      });
    const [found] = await handle.find('types', {}, {}, null);
    expect(removeIds([found ?? {}])).to.deep.equal([
      {
        long: 5,
        large: '9007199254740993',
        int: 7,
        double: 3,
        decimal: 12.5,
        power: 1000,
        exact: 0.1,
        precise: '0.1000000000000000055511151231257827',
        nan: 'NaN',
        binary: 'aGVsbG8=',
        uuid: '0198c0de-0000-4000-8000-000000000001',
        pattern: '/a+/i',
        code: 'return 1',
        stamp: new Date(1_700_000_000_000),
        max: 'MaxKey',
        list: [1, { deep: 2 }],
      },
    ]);
  });

  it('cancels a call after its timeout', async () => {
    const { handle } = await open(url, { statement_timeout: 0.05 });
    await (await open(url)).handle.insert('slow', [{ n: 1 }, { n: 2 }], null);
    // Work for some seconds; no script, which a server may not be allowed to run.
    const endless = {
      $reduce: { input: { $range: [0, 5_000_000] }, initialValue: 0, in: { $add: ['$$value', '$$this'] } },
    };
    const fault = await catchFault(handle.aggregate('slow', [{ $set: { x: endless } }, { $match: { x: -1 } }], null));
    expect([fault.code, fault.options.headers]).to.deep.equal(['QRY_TIMEOUT', { 'retry-after': '1' }]);
    expect(await retryUntilSuccess(() => handle.count('slow', {}, null))).to.equal(2);
  });

  it('rejects an object that imitates a BSON type', async () => {
    const { handle } = await open(url);
    for (const type of ['ObjectId', 'Code', 'Binary', 'nonsense']) {
      const lie = { _bsontype: type, code: 'return 1', id: 'x' };
      expect((await catchFault(handle.insert('lies', [{ lie }], null))).code, type).to.equal('QRY_BAD_VALUE');
      expect((await catchFault(handle.find('lies', { lie: { $eq: lie } }, {}, null))).code, type).to.equal(
        'QRY_BAD_VALUE',
      );
    }
    expect(await handle.count('lies', {}, null)).to.equal(0);
  });

  it('uses the index to find a unique value', async () => {
    const { handle, syncSchema } = await open(url);
    await syncSchema([
      defineCollection('found', [
        defineColumn('email', 'text', { unique: true }),
        defineColumn('n', 'integer', { nullable: true, unique: true }),
      ]),
    ]);
    await handle.insert('found', [{ email: 'a', n: 1 }], null);
    const client = await driver();
    for (const filter of [{ email: 'a' }, { email: { $eq: 'a' } }, { email: { $in: ['a', 'b'] } }, { n: { $eq: 1 } }]) {
      const plan = JSON.stringify(await client.db().collection('found').find(filter).explain('queryPlanner'));
      expect(plan, JSON.stringify(filter))
        .to.match(/_unique/)
        .and.not.match(/COLLSCAN/);
    }
  });

  it('leaves foreign rules, disabled rules and views unchanged, and reports it', async () => {
    const [{ syncSchema }, client] = [await open(url), await driver()];
    const db = client.db();
    const model = (name: string) => defineCollection(name, [defineColumn('name', 'text')]);
    await db.createCollection('theirs', { validator: { name: { $exists: true } } });
    await syncSchema([model('off')]);
    await db.command({ collMod: 'off', validationLevel: 'off' });
    await db.createCollection('looked', { viewOn: 'theirs', pipeline: [] });
    await db.collection('odd').insertOne({ name: 'x' });
    await db.collection('odd').createIndex({ other: 1 }, { name: 'name_unique' });
    await db.collection('words').createIndex({ other: 'text' });
    const words = [
      ['theirs', /somebody else/],
      ['off', /switched off/],
      ['looked', /no collection/],
    ] as const;
    for (const [name, warning] of words) {
      const { warnings, statements } = await syncSchema([model(name)]);
      expect(statements).to.deep.equal([]);
      expect(warnings.join())
        .to.match(warning)
        .and.match(/left as it is/);
    }
    const odd = defineCollection('odd', [defineColumn('name', 'text', { unique: true })]);
    expect((await syncSchema([odd])).warnings.join()).to.match(/index name_unique/);
    const search = defineCollection('words', [defineColumn('name', 'text', { search: true })]);
    expect((await syncSchema([search])).warnings.join()).to.match(/one index of words/);
  });

  it('reports in fixed text why it cannot connect', async () => {
    const nobody = new URL(url);
    nobody.port = '1';
    const login = new URL(url);
    login.username = 'ada';
    login.password = 'hidden';
    for (const [address, reason, passes] of [
      [nobody.href, 'nothing listens at this address', true],
      [login.href, 'user name or password refused', false],
      ['db.example.com/hidden', 'the address is not valid', false],
      ['mongodb://host:port:hidden/', 'the address is not valid', false],
      ['mongodb://host.invalid/?nonsense=hidden', 'the address is not valid', false],
      ['mongodb://host.invalid/', 'the host name', true],
    ] as const) {
      const fault = await catchFault(open(address, { pool_wait: 0.3 }));
      expect([fault.code, fault.params['instance']]).to.deep.equal(['QRY_CONNECT', 'main']);
      expect(fault.params['reason'], reason).to.contain(reason);
      expect(fault.options.retryable ?? false, reason).to.equal(passes);
      expect(`${fault.stack} ${JSON.stringify(fault.options)} ${(fault.options.cause as Error)?.stack}`).not.to.contain(
        'hidden',
      );
    }
  });

  it('is healthy while open, and unavailable when closed', async () => {
    const store = await open(url);
    expect(await store.health()).to.deep.equal({ ok: true });
    await store.close();
    await store.close();
    expect((await store.health())?.ok).to.equal(false);
    expect((await catchFault(store.handle.count('x', {}, null))).code).to.equal('QRY_UNAVAILABLE');
  });
});
