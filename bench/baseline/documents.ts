/**
 * The hand-written service on MongoDB: the driver `mongodb` with a pool of ten. It has the same write concern (majority,
 * journaled) and read concern (majority) as Lintel.
 */
import { type Document, MongoClient, ObjectId } from 'mongodb';
import { type AccountStore, serveAccounts } from './accounts.js';

/** The keys of seeded documents are numbers. */
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
