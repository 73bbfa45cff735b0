/** The sample definitions of the distribution over real HTTP: people, their profiles, and guests. */
import { expect } from 'chai';
import { describeOnDatabase } from '../support/kernel.js';
import type { Loose } from '../support/client.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import {
  createWalletInit,
  countStatuses,
  createEmail,
  PASSWORD,
  createPerson,
  PIN,
  type Person,
} from '../support/wallet.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** Everything that must never be in a response. */
const SECRETS = /\$2b\$|\$argon2|"password"|"pin"|correct horse/;

const listPointers = (body: Loose): unknown[] => (body['errors'] as readonly Loose[]).map(({ pointer }) => pointer);

describeOnDatabase('sample: people', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  const wanted = (): Loose => ({ email: createEmail(), name: 'Grace', password: PASSWORD });
  let ada: Person;
  before(async () => {
    ada = await createPerson(kernel());
  });

  describe('sign-up', () => {
    it('returns exactly the fields of `returnables`, with a token for protected endpoints', async () => {
      const body = wanted();
      const made = await kernel().post('/sign-up', body);
      expect(made.status).to.equal(200);
      expect(Object.keys(made.body)).to.have.members(['id', 'email', 'name', 'token']);
      expect(made.body['id']).to.match(ULID);
      const read = await kernel().post('/profile', {}, createWalletInit(String(made.body['token'])));
      expect(read.status).to.equal(200);
      expect(read.body).to.include({ id: made.body['id'], email: body['email'], name: 'Grace', balance: 0 });
      expect(read.body['created_at']).to.match(ISO);
    });

    it('rejects an existing address with 409', async () => {
      const { status, body } = await kernel().post('/sign-up', { ...wanted(), email: ada.email });
      expect(status).to.equal(409);
      expect(listPointers(body)).to.deep.equal(['/email']);
    });

    it('creates one wallet from 20 concurrent attempts with one address', async function () {
      const body = wanted();
      const answers = await Promise.all(Array.from({ length: 20 }, () => kernel().post('/sign-up', body)));
      expect(countStatuses(answers, 200, 409)).to.deep.equal([1, 19]);
    });

    it('names every violated rule', async () => {
      const { status, body } = await kernel().post('/sign-up', {
        email: 'nowhere',
        name: '',
        password: 'short',
        pin: 1,
      });
      expect(status).to.equal(422);
      expect(listPointers(body)).to.have.members(['/email', '/name', '/password', '/pin']);
    });
  });

  describe('sign-in', () => {
    it('returns a token for the right password', async () => {
      const { status, body } = await kernel().post('/sign-in', { email: ada.email, password: PASSWORD });
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.have.members(['id', 'email', 'name', 'token']);
      const read = await kernel().post('/profile', {}, createWalletInit(String(body['token'])));
      expect(read.body['id']).to.equal(ada.id);
    });

    it('returns the same message for a wrong password and an unknown address', async () => {
      const wrong = await kernel().post('/sign-in', { email: ada.email, password: 'wrong horse' });
      const unknown = await kernel().post('/sign-in', { email: createEmail(), password: PASSWORD });
      expect([wrong.status, unknown.status]).to.deep.equal([401, 401]);
      const words = ({ instance, ...rest }: Loose): Loose => ({ ...rest, instance: typeof instance });
      expect(words(wrong.body)).to.deep.equal(words(unknown.body));
    });
  });

  describe('profile', () => {
    it('is rejected without a token', async () => {
      for (const path of ['/profile', '/profile/update', '/profile/pin', '/profile/close', '/profile-read-01']) {
        const { status, body } = await kernel().post(path, { id: ada.id, name: 'Eve' });
        expect([status, body['code']], path).to.deep.equal([401, 'TOK_REFUSED']);
      }
      expect((await kernel().post('/profile', {}, createWalletInit(`${ada.token}x`))).status).to.equal(401);
    });

    it('is that of the token, whatever the payload contains', async () => {
      const other = await createPerson(kernel());
      expect((await ada.post('/profile', { id: other.id })).body['id']).to.equal(ada.id);
    });

    it('changes sent fields and preserves others; JSON is returned as JSON', async () => {
      const address = { street: 'St James Square 12', city: 'London', country: 'GB' };
      const first = await ada.post('/profile/update', { address, interests: ['engines', 'poetry'] });
      expect(first.status, first.text).to.equal(200);
      expect(first.body).to.deep.include({ name: 'Ada Lovelace', address, interests: ['engines', 'poetry'] });
      const second = await ada.post('/profile/update', { name: 'Ada King' });
      expect(second.body).to.deep.include({ name: 'Ada King', address, interests: ['engines', 'poetry'] });
      const { body } = await ada.post('/profile');
      expect(body).to.deep.include({ name: 'Ada King', address, balance: 0 });
    });

    it('returns pointers into the object and the list that violate a rule', async () => {
      const address = { street: 'x', city: '', country: 'GBR' };
      const { status, body } = await ada.post('/profile/update', { name: '', address, interests: ['ok', 'x'] });
      expect(status).to.equal(422);
      const pointers = ['/name', '/address/city', '/address/country', '/interests/1'];
      expect(listPointers(body)).to.have.members(pointers);
    });

    it('ignores fields that the definition does not read', async () => {
      const { status } = await ada.post('/profile/update', { balance: 1_000_000, deleted_at: 'now', password: 'x' });
      expect(status).to.equal(200);
      expect(await ada.balance()).to.equal(0);
    });

    it('accepts a new PIN only with the password', async () => {
      const [sender, receiver] = [await createPerson(kernel(), 10, { pin: undefined }), await createPerson(kernel())];
      const send = (pin: string): Promise<unknown> =>
        sender.post('/wallet/transfer', { to_email: receiver.email, amount: 1, pin }).then(({ status }) => status);
      expect(await send(PIN), 'no PIN yet').to.equal(401);
      expect((await sender.post('/profile/pin', { password: 'wrong horse', pin: '9876' })).status).to.equal(401);
      expect(await send('9876')).to.equal(401);
      const changed = await sender.post('/profile/pin', { password: PASSWORD, pin: '9876' });
      expect(changed.status, changed.text).to.equal(200);
      expect(Object.keys(changed.body)).to.deep.equal(['id', 'updated_at']);
      expect(await send('9876')).to.equal(200);
    });

    it('that is closed cannot be used by its owner, while entries of others remain', async () => {
      const [leaving, staying] = [await createPerson(kernel(), 100), await createPerson(kernel())];
      await leaving.post('/wallet/transfer', { to_email: staying.email, amount: 40, pin: PIN });
      const closed = await leaving.post('/profile/close');
      expect(Object.keys(closed.body)).to.deep.equal(['id', 'deleted_at']);
      expect(closed.body['deleted_at']).to.match(ISO);
      for (const path of ['/profile', '/profile/close', '/profile/update', '/wallet/summary', '/wallet/statement']) {
        expect((await leaving.post(path)).status, path).to.equal(404);
      }
      expect((await leaving.post('/wallet/deposit', { amount: 5 })).status).to.equal(404);
      expect((await kernel().post('/sign-in', { email: leaving.email, password: PASSWORD })).status).to.equal(401);
      const back = await staying.post('/wallet/transfer', { to_email: leaving.email, amount: 1, pin: PIN });
      expect(back.status).to.equal(404);
      const [entry] = (await staying.post<readonly Loose[]>('/wallet/history')).body;
      expect(entry).to.include({ kind: 'received', amount: 40, other_user_id: leaving.id });
    });
  });

  it('contains no secret in any response or log line, for every endpoint', async () => {
    const [user, other] = [await createPerson(kernel(), 100), await createPerson(kernel())];
    const everything = { ...wanted(), email: user.email, pin: PIN, to_email: other.email, amount: 1, words: 'note' };
    const paths = [...kernel().kernel.plans().byId.values()].map(({ path }) => path.replace(':entry', 'x'));
    expect(paths).to.have.length.greaterThan(15);
    for (const path of paths.filter((name) => name !== 'profile/close')) {
      const { text } = await user.post(`/${path}`, everything);
      expect(text, path).not.to.match(SECRETS);
    }
    expect(JSON.stringify(kernel().log)).not.to.match(SECRETS);
  });

  describe('guests', () => {
    const withPass = (pass: unknown): RequestInit => ({ headers: { 'x-guest-pass': String(pass) } });

    it('get a PASETO and send it in their own header', async () => {
      const { status, body } = await kernel().post('/guest/pass');
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.have.members(['guest', 'pass']);
      expect(body['pass']).to.match(/^v4\.local\./);
      const fees = await kernel().post('/guest/fees', {}, withPass(body['pass']));
      expect(fees.status, fees.text).to.equal(200);
      expect(fees.body).to.deep.equal({ guest: body['guest'], transfer: 0, currency: 'EUR' });
    });

    it('are rejected without it, with it in another header, and with a token of another kind', async () => {
      const { body } = await kernel().post('/guest/pass');
      const tries = [{}, createWalletInit(String(body['pass'])), withPass(ada.token), withPass('v4.local.AAAA')];
      for (const init of tries) expect((await kernel().post('/guest/fees', {}, init)).status).to.equal(401);
      expect((await kernel().post('/profile', {}, createWalletInit(String(body['pass'])))).status).to.equal(401);
    });

    it('get 503 when an endpoint is out of service', async () => {
      const { status, headers, body } = await kernel().post('/guest/rates');
      expect([status, body['code']]).to.deep.equal([503, 'RES_MAINTENANCE']);
      expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    });
  });

  it('returns its health without a database', async () => {
    const { status, body } = await kernel().post('/health');
    expect(status).to.equal(200);
    expect(body).to.include({ status: 'ok', you: '127.0.0.1' });
    expect(body['at']).to.match(ISO);
  });
});
