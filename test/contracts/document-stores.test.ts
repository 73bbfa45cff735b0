/** Runs the contract of document stores against MongoDB, and what only a server can do. */
import mongodb from '../../plugins/document-stores/mongodb/runtime.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { documentStoreContract } from './document-store.contract.js';
import { openStore } from './document-store-support.js';

documentStoreContract('mongodb', async () => {
  const server = await startMongo();
  return 'skip' in server ? server : openStore(mongodb, { options: { url: await createMongoDatabase() } });
});
