/**
 * Runs the contract of document stores against the embedded one, in both databases that can contain it, and its own
 * cases.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import { decode, encode } from '../../plugins/document-stores/embedded/codec.js';
import { compileTest } from '../../plugins/document-stores/embedded/engine.js';
import embedded from '../../plugins/document-stores/embedded/runtime.js';
import { ANY_TERM, createNarrowing, listTerms } from '../../plugins/document-stores/embedded/index-terms.js';
import { BY_LOCKS, type Dialect } from '../../plugins/dialects/kind.js';
import type { Document, DocumentStore, FindOptions } from '../../plugins/document-stores/kind.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { openDialect } from './dialect-open.js';
import { defineColumn, catchFault, type OpenDialect } from './dialect-support.js';
import { documentIdOrderTests } from './document-store-ids.js';
import { documentStoreContract } from './document-store.contract.js';
import { removeIds, defineCollection, inTransaction, openStore, type OpenStore } from './document-store-support.js';
import { chooseDatabases, itInCheck } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';
import { fc } from '../support/properties.js';

/** Connections to this database that wait for a lock. */
const WAITING = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** The store on a connection, which is closed with it. */
async function openOn(sql: OpenDialect): Promise<OpenStore> {
  const resolve: RuntimeContext['resolve'] = () => sql.handle as never;
  const store = await openStore(embedded, { resolve });
  return { ...store, close: () => store.close().then(() => sql.close()) };
}

const PLACES = {
  pglite: async () => openOn(await openDialect(pglite, { path: 'memory://' })),
  postgres: async () => {
    const server = await startPostgres();
    return 'skip' in server ? server : openOn(await openDialect(postgres, { url: await createPostgresDatabase() }));
  },
};
for (const name of chooseDatabases(['pglite', 'postgres'] as const, (one) => one))
  documentStoreContract(`embedded, in ${name}`, PLACES[name]);

describe('embedded document store', () => {
  it('finds every matching document by the index', () => {
    const scalar = fc.constantFrom(0, 5, 'a', 'b"\\', '\0', 'ü'.repeat(99), true, null, new Date(5));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '0', 'c.d'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const document = fc.record({ a: value, b: value });
    const path = fc.constantFrom('a', 'b', 'a.b', 'a.0', 'b.a');
    const condition = fc.oneof(
      scalar,
      scalar.map((one) => ({ $eq: one })),
      fc.array(scalar, { maxLength: 3 }).map((all) => ({ $in: all })),
      fc.array(scalar, { minLength: 1, maxLength: 2 }).map((all) => ({ $all: all })),
      scalar.map((one) => ({ $elemMatch: { b: one } })),
    );
    const one = fc.tuple(path, condition).map(([key, wanted]) => ({ [key]: wanted }));
    const filter = fc.oneof(
      one,
      fc.tuple(one, one).map((both) => ({ $or: both })),
      fc.tuple(one, one).map((both) => ({ $and: both })),
    );
    let hits = 0;
    fc.assert(
      fc.property(document, filter, (fields, asked) => {
        const made = decode(encode(fields)) as Record<string, unknown>;
        if (!compileTest(asked)(made)) return;
        const lists = createNarrowing(asked);
        hits += lists.length > 0 ? 1 : 0;
        const terms = listTerms(made);
        for (const list of lists) expect(terms.some((term) => term === ANY_TERM || list.includes(term))).to.equal(true);
      }),
      { numRuns: 3000 },
    );
    expect(hits).to.be.greaterThan(20);
  });

  it('returns a document as it was stored', () => {
    const odd = { $date: 1, $$x: { $oid: 'x' }, n: [NaN, -0, Infinity], b: { $number: '5' }, d: new Date(7), '': [[]] };
    expect(decode(JSON.parse(JSON.stringify(encode(odd))))).to.deep.equal(odd);
  });

  it('is rejected in a database other than PostgreSQL, with the alternative', async () => {
    const sql = { execute: () => Promise.resolve([{ version: '11.4.2-MariaDB' }]) } as unknown as Dialect;
    const opened = await openStore(embedded, { resolve: () => sql as never }).catch((error: unknown) => error);
    expect(opened).to.be.instanceOf(BootError);
    expect((opened as BootError).code).to.equal('DOC_NOT_POSTGRESQL');
    expect((opened as BootError).params).to.deep.equal({ instance: 'main', connection: 'main' });
  });

  itInCheck('loses nothing acknowledged when its process is killed', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-docs-'));
    const worker = fileURLToPath(new URL('../support/documents-worker.js', import.meta.url));
    const child = spawn(process.execPath, ['--no-opt', worker, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const over = once(child, 'close');
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last === 25) child.kill('SIGKILL');
    }
    await over;
    const store = await openOn(await openDialect(pglite, { path: 'data' }, folder));
    const found = await store.handle.find('kept', {}, { sort: { n: 1 } }, null);
    await store.close();
    await rm(folder, { recursive: true, force: true });
    expect(last).to.be.at.least(25);
    expect(found.slice(0, last + 1).map(({ n }) => n)).to.deep.equal(Array.from({ length: last + 1 }, (_, n) => n));
    expect(found.filter(({ n, changed }) => Number(n) < last && Number(n) % 3 === 1 && changed !== true)).to.deep.equal(
      [],
    );
  });

  describe('in one postgres, with two processes', () => {
    const stores: OpenStore[] = [];
    const handles = () => stores.map(({ handle }) => handle);

    before(async function () {
      const server = await startPostgres();
      if ('skip' in server) skipTest(this, server.skip);
      const url = await createPostgresDatabase();
      for (let i = 0; i < 2; i++) stores.push(await openOn(await openDialect(postgres, { url })));
    });
    after(() => Promise.all(stores.map((store) => store.close())));

    it('both create a collection at the same time', async () => {
      const made = Array.from({ length: 10 }, async (_, n) => handles()[n % 2]?.insert('both', [{ n }], null));
      await Promise.all(made);
      expect(await handles()[0]?.count('both', {}, null)).to.equal(10);
    });

    it('lose no update, in one call or read and written back', async function () {
      await handles()[0]?.insert('sums', [{ _id: 'x', a: 0, b: 0 }], null);
      await Promise.all(
        handles().flatMap((handle) =>
          Array.from({ length: 10 }, async () => {
            await handle.update('sums', { _id: 'x' }, { $inc: { a: 1 } }, {}, null);
            await inTransaction(handle, async (inside) => {
              const [found] = await handle.find('sums', { _id: 'x' }, {}, inside);
              await handle.update('sums', { _id: 'x' }, { $set: { b: Number(found?.['b']) + 1 } }, {}, inside);
            });
          }),
        ),
      );
      expect(await handles()[1]?.find('sums', {}, {}, null)).to.deep.equal([{ _id: 'x', a: 20, b: 20 }]);
    });

    it('create one document if none matches and a value is unique', async () => {
      const [first] = stores;
      await first?.syncSchema([defineCollection('once', [defineColumn('name', 'text', { unique: true })])]);
      const calls = handles().flatMap((handle) =>
        Array.from({ length: 10 }, () =>
          handle.update('once', { name: 'x' }, { $inc: { n: 1 } }, { upsert: true }, null),
        ),
      );
      await Promise.all(calls);
      expect(removeIds((await handles()[1]?.find('once', {}, {}, null)) ?? [])).to.deep.equal([{ name: 'x', n: 20 }]);
    });

    it('update the document that another process created meanwhile, instead of creating a second one', async () => {
      const [one, two] = handles() as [DocumentStore, DocumentStore];
      const sql = one.on as Dialect;
      const transaction = await sql.begin(BY_LOCKS);
      await one.insert('once', [{ name: 'y', n: 1 }], { transaction });
      const changed = two.update('once', { name: 'y' }, { $inc: { n: 1 } }, { upsert: true }, null);
      await waitUntil(async () => (await sql.execute(WAITING, [], null)).length > 0);
      await sql.commit(transaction);
      expect(removeIds(await changed)).to.deep.equal([{ name: 'y', n: 2 }]);
    });
  });

  describe('queries', () => {
    let store: OpenStore;
    before(async () => {
      store = await openOn(await openDialect(pglite, { path: 'memory://' }));
      const columns = [
        defineColumn('title', 'text', { search: true }),
        defineColumn('body', 'text', { search: true, nullable: true }),
      ];
      await store.syncSchema([defineCollection('notes', columns)]);
      await store.handle.insert(
        'notes',
        [
          { title: 'Running dogs', body: 'a cat sleeps' },
          { title: 'The quick cat', body: 'runs after a dog' },
          { title: 'Coffee shop', body: null },
        ],
        null,
      );
    });
    after(() => store.close());
    const titles = async (text: string, more: object = {}): Promise<unknown[]> =>
      (await store.handle.find('notes', { $text: { $search: text }, ...more }, {}, null)).map(({ title }) => title);

    it('find words by their stems: any word, every phrase, none after a minus', async () => {
      expect(await titles('run')).to.deep.equal(['Running dogs', 'The quick cat']);
      expect(await titles('coffee dog')).to.deep.equal(['Running dogs', 'The quick cat', 'Coffee shop']);
      expect(await titles('"cat sleeps"')).to.deep.equal(['Running dogs']);
      expect(await titles('dog -quick')).to.deep.equal(['Running dogs']);
      expect(await titles('dog -"quick cat"')).to.deep.equal(['Running dogs']);
      expect(await titles('the a')).to.deep.equal([]);
      expect(await titles(`' | & ! :* <-> \\ "`)).to.deep.equal([]);
      expect(await titles('dog', { title: 'The quick cat' })).to.deep.equal(['The quick cat']);
      const rows = await store.handle.aggregate(
        'notes',
        [{ $match: { $text: { $search: 'dog' } } }, { $count: 'n' }],
        null,
      );
      expect(rows).to.deep.equal([{ n: 2 }]);
    });

    it('run no script, write nothing by a pipeline, and reject a pattern that may not end', async () => {
      const { handle } = store;
      const body = 'function() { return 1 }';
      for (const work of [
        handle.find('notes', { $where: 'true' }, {}, null),
        handle.find('notes', { $expr: { $function: { body, args: [], lang: 'js' } } }, {}, null),
        handle.aggregate('notes', [{ $group: { _id: 1, x: { $accumulator: { init: body } } } }], null),
        handle.aggregate('notes', [{ $project: { x: { $function: { body, args: [], lang: 'js' } } } }], null),
        handle.aggregate('notes', [{ $out: 'others' }], null),
        handle.aggregate('notes', [{ $facet: { a: [{ $merge: { into: 'others' } }] } }], null),
        handle.find('notes', { title: { $regex: String.raw`^(a+)\1$` } }, {}, null),
        handle.find('notes', { title: { $in: [/(x*)\1y/] } }, {}, null),
      ])
        expect((await catchFault(work)).code).to.equal('QRY_FAILED');
      expect(await handle.count('others', {}, null)).to.equal(0);
    });

    it('create no field inside a text', async () => {
      const change = store.handle.update('notes', {}, { $set: { 'title.x': 1 } }, { one: true }, null);
      const { code, options } = await catchFault(change);
      expect([code, options.issues?.[0]?.pointer]).to.deep.equal(['QRY_BAD_VALUE', '/title']);
    });

    it('sort thousands of documents, and find one of them by the index', async function () {
      const many = Array.from({ length: 6000 }, (_, n) => ({ n, rest: n % 7, text: 'x'.repeat(100) }));
      await store.handle.insert('many', many, null);
      const found = await store.handle.find('many', {}, { sort: { rest: -1, n: 1 }, skip: 1, limit: 2 }, null);
      expect(found.map(({ n }) => n)).to.deep.equal([13, 20]);
      const find = (filter: Document) => store.handle.find('many', filter, {}, null);
      expect((await find({ n: 5999 })).map(({ rest }) => rest)).to.deep.equal([0]);
      expect(await store.handle.count('many', { n: { $gte: 5000 } }, null)).to.equal(1000);
      /** Processor time, the least of several tries: the first ones run code that is not optimized yet. */
      const measureWork = async (filter: Document, count: number, options: FindOptions = {}): Promise<number> => {
        const tries: number[] = [];
        for (let n = 0; n < count; n++) {
          const begun = process.cpuUsage();
          expect(await store.handle.find('many', filter, options, null)).to.have.length(1);
          const { user, system } = process.cpuUsage(begun);
          tries.push(user + system);
        }
        return Math.min(...tries);
      };
      const scan = await measureWork({ n: { $gte: 5999 } }, 3);
      expect(await measureWork({ n: 5999 }, 30)).to.be.lessThan(scan / 3);
      const [{ _id: last } = { _id: null }] = await find({ n: 5998 });
      expect(await measureWork({ _id: { $gt: last } }, 30)).to.be.lessThan(scan / 3);
      expect(await measureWork({}, 30, { sort: { _id: -1 }, limit: 1 })).to.be.lessThan(scan / 3);
    });

    documentIdOrderTests(() => store.handle);

    it('use an index of `_id` that a migration adds to existing collections', async () => {
      const { handle } = store;
      const execute = (text: string) => handle.on?.execute(text, [], null);
      const models = [defineCollection('notes', [])];
      const newest = (filter: Document = {}) =>
        handle.find('notes', filter, { sort: { _id: -1 }, limit: 2, projection: { title: 1, _id: 0 } }, null);
      const before = await newest();
      expect(before).to.deep.equal([{ title: 'Coffee shop' }, { title: 'The quick cat' }]);
      expect(await newest({ $text: { $search: 'dog' } })).to.deep.equal([before[1], { title: 'Running dogs' }]);
      await execute('DROP INDEX lintel_docs_notes_order');
      expect(await newest()).to.deep.equal(before);
      const { statements, progress } = await store.syncSchema(models);
      expect(progress).to.deep.equal(['1/1 documents.main notes add index _id']);
      expect(statements).to.have.length(1);
      expect((await store.plan(models)).steps).to.deep.equal([]);
      expect(await newest()).to.deep.equal(before);
    });
  });
});
