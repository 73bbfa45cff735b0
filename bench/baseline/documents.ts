/**
 * The hand-written service on MongoDB: the driver `mongodb` with a pool of ten. It asks for the same as ours: what is
 * acknowledged lies on the disk of a majority, and what is read was acknowledged.
 */
import { type Document, MongoClient, ObjectId } from 'mongodb';
import { type AccountStore, serveAccounts } from './accounts.js';

/** Seeded ones have numbers. */
interface Account extends Document {
  readonly _id: number | ObjectId;
}

const client = new MongoClient(process.env.MONGO_URL ?? '', {
  maxPoolSize: 10,
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
});
await client.connect();
const accounts = client.db().collection<Account>('_account');

const store: AccountStore = {
  findById: async (id) => (await accounts.findOne({ _id: id })) ?? undefined,
  listAfter: (id) =>
    accounts
      .find({ _id: { $gt: id } })
      .sort({ _id: 1 })
      .limit(50)
      .toArray(),
  insert: async (account) => {
    const document = { _id: new ObjectId(), ...account };
    await accounts.insertOne(document);
    return document;
  },
  close: () => client.close(),
};
serveAccounts(store);
