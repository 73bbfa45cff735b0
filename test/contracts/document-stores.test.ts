/** Runs the contract of document stores against MongoDB, and cases of a server. */
import mongodb from '../../plugins/document-stores/mongodb/runtime.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { documentStoreContract } from './document-store.contract.js';
import { openStore } from './document-store-support.js';

documentStoreContract('mongodb', async () => {
  const server = await startMongo();
  return 'skip' in server ? server : openStore(mongodb, { options: { url: await createMongoDatabase() } });
});
