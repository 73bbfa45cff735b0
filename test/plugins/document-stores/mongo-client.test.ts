/** The client that every plugin on MongoDB uses: its commands end when their connection ends. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { MongoClient } from 'mongodb';
import { createMongoClient } from '../../../plugins/shared/mongo-client.js';
import { createMongoDatabase, startMongo } from '../../support/mongo.js';
import { skipTest } from '../../support/skip.js';

/** Of Node: publishes every socket that a client opens. */
const SOCKETS = 'net.client.socket';

describe('client of MongoDB', function () {
  const sockets: Socket[] = [];
  const collect = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
  let client: MongoClient | undefined;

  before(async function () {
    const server = await startMongo();
    if ('skip' in server) skipTest(this, server.skip);
  });
  beforeEach(() => subscribe(SOCKETS, collect));
  afterEach(async () => {
    unsubscribe(SOCKETS, collect);
    sockets.splice(0);
    await client?.close();
  });

  for (const compressors of [undefined, 'zlib'] as const) {
    it(`fails a command that is written after the end of its connection, compression ${compressors ?? 'none'}`, async () => {
      const options = { retryReads: false, maxPoolSize: 1, ...(compressors && { compressors: [compressors] }) };
      client = createMongoClient(await createMongoDatabase(), options);
      const collection = client.db().collection('note');
      expect(await collection.findOne()).to.equal(null);
      // Destroyed, and its `close` event comes after this turn.
      for (const socket of sockets) socket.destroy();
      const failure: unknown = await collection.findOne().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error).and.have.property('name', 'MongoNetworkError');
      expect(await collection.findOne(), 'the only place in the pool is free again').to.equal(null);
    });
  }
});
