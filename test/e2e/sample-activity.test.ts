/**
 * The activity of the sample, on both document stores: written after money is moved, read, searched and marked by its
 * owner only.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnEach, STORES } from '../support/databases.js';
import { waitForValue } from '../support/jobs.js';
import { copySample, SAMPLE_ENV } from '../support/project.js';
import { createPerson, PIN, type Person } from '../support/wallet.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const FIELDS = ['_id', 'kind', 'note', 'details', 'created_at'];

// Jobs are in the database of the wallet, whichever store has the documents.
const config = {
  queue: 'embedded',
  scheduler: 'embedded',
  connections: { main: { use: 'pglite', path: 'memory://' } },
};

describeOnEach('sample: activity', STORES, { prepare: copySample, env: SAMPLE_ENV, config }, (kernel) => {
  let ada: Person;
  let bob: Person;
  const listActivity = async (of: Person, limit = 100): Promise<readonly Loose[]> =>
    (await of.post<readonly Loose[]>('/activity', { limit })).body;
  const arrived = (of: Person, count: number): Promise<unknown> =>
    waitForValue(
      async () => (await listActivity(of)).length,
      (length) => length >= count,
    );
  const unread = async (of: Person): Promise<unknown> => (await of.post('/activity/unread')).body['count'];

  before(async function () {
    [ada, bob] = [await createPerson(kernel()), await createPerson(kernel())];
    expect((await ada.post('/wallet/deposit', { amount: 500, note: 'renting out boats' })).status).to.equal(200);
    await arrived(ada, 1);
    const sent = await ada.post('/wallet/transfer', { to_email: bob.email, amount: 120, pin: PIN, note: 'dinner' });
    expect(sent.status, sent.text).to.equal(200);
    expect(sent.body).to.include({ amount: -120, balance_after: 380 });
    await arrived(ada, 2);
    await arrived(bob, 1);
  });

  it('returns to each user their events, the newest first and as many as are requested', async () => {
    const mine = await listActivity(ada);
    expect(mine.map(({ kind }) => kind)).to.deep.equal(['sent', 'deposit']);
    expect(Object.keys(mine[0] ?? {})).to.have.members(FIELDS);
    expect(mine[0]?.['details']).to.deep.equal({ amount: 120, to: bob.email });
    expect(mine[1]).to.deep.include({ note: 'renting out boats', details: { amount: 500, balance_after: 500 } });
    expect(mine[0]?.['created_at']).to.match(ISO);
    expect((await listActivity(bob)).map(({ kind, details }) => [kind, details])).to.deep.equal([
      ['received', { amount: 120 }],
    ]);
    expect((await listActivity(ada, 1)).map(({ kind }) => kind)).to.deep.equal(['sent']);
    expect((await ada.post('/activity', { limit: 101 })).status).to.equal(422);
  });

  it('finds other forms of words in the notes of the owner only', async () => {
    const findActivity = async (of: Person, words: string): Promise<unknown[]> =>
      (await of.post<readonly Loose[]>('/activity/search', { words })).body.map(({ note }) => note);
    expect(await findActivity(ada, 'rent')).to.deep.equal(['renting out boats']);
    expect(await findActivity(ada, 'boat')).to.deep.equal(['renting out boats']);
    expect(await findActivity(bob, 'boat')).to.deep.equal([]);
    expect((await ada.post('/activity/search', { words: { $ne: 'x' } })).status).to.equal(422);
  });

  it('marks as read what belongs to the caller, once', async () => {
    const ids = [...(await listActivity(ada)), ...(await listActivity(bob))].map(({ _id }) => String(_id));
    expect([await unread(ada), await unread(bob)]).to.deep.equal([2, 1]);
    const marked = await ada.post<readonly Loose[]>('/activity/read', { ids });
    expect(marked.status, marked.text).to.equal(200);
    expect(marked.body.map(({ _id }) => _id)).to.have.members(ids.slice(0, 2));
    expect(marked.body[0]?.['read_at']).to.match(ISO);
    expect([await unread(ada), await unread(bob)]).to.deep.equal([0, 1]);
    expect((await ada.post('/activity/read', { ids })).body).to.deep.equal([]);
    expect((await ada.post('/activity/read', { ids: [{ $gt: '' }] })).status).to.equal(422);
  });

  it('requires a token everywhere', async () => {
    for (const path of ['/activity', '/activity/unread', '/activity/read', '/activity/search'])
      expect((await kernel().post(path, {})).status, path).to.equal(401);
  });

  it('writes nothing for money that was not moved', async () => {
    const before = (await listActivity(ada)).length;
    const rejected = await ada.post('/wallet/transfer', { to_email: bob.email, amount: 9999, pin: PIN });
    expect(rejected.status).to.equal(409);
    // Later jobs run later: a job of the rejected request would be there by then.
    expect((await ada.post('/wallet/deposit', { amount: 1 })).status).to.equal(200);
    await arrived(ada, before + 1);
    expect((await listActivity(ada)).map(({ kind }) => kind)).to.deep.equal(['deposit', 'sent', 'deposit']);
  });

  it('is deleted when the wallet is closed', async () => {
    const eve = await createPerson(kernel(), 5);
    await arrived(eve, 1);
    expect((await eve.post('/profile/close')).status).to.equal(200);
    await waitForValue(
      () => listActivity(eve),
      ({ length }) => length === 0,
    );
    expect(await listActivity(bob)).to.have.lengthOf(1);
  });
});
