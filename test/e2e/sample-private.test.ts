/** Private details of the sample over real HTTP: ciphertext in the table, plain values for their owner only. */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { createPerson, type Person } from '../support/wallet.js';

const DETAILS = {
  phone: '+49 30 1234567',
  tax_number: 'DE 811 907 980',
  document: { kind: 'passport', number: 'C01X00T47', country: 'DE' },
};
const files = {
  'definitions/peek.json': [
    {
      ...defineQueryResource('peek', 'SELECT phone, tax_number, document FROM _private_details WHERE user_id = $1', [
        '$PAYLOAD.id',
      ]),
      returnables: ['phone', 'tax_number', 'document'],
    },
    // Changes that a person with access to the database might make.
    defineQueryResource(
      'move',
      'UPDATE _private_details AS mine SET phone = other.phone FROM _private_details AS other ' +
        'WHERE mine.user_id = $1 AND other.user_id = $2',
      ['$PAYLOAD.to', '$PAYLOAD.from'],
    ),
    defineQueryResource('swap', 'UPDATE _private_details SET phone = tax_number WHERE user_id = $1', ['$PAYLOAD.id']),
  ],
};

describeOnDatabase('sample: private details', { prepare: copyQuickSample, env: SAMPLE_ENV, files }, (kernel) => {
  let ada: Person;
  beforeEach(async () => {
    ada = await createPerson(kernel());
  });
  const update = (who: Person, details: Loose = DETAILS) => who.post('/profile/private/update', details);

  it('are returned as they were sent, the object too', async () => {
    const { status, body, text } = await update(ada);
    expect(status, text).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(['updated_at']);
    const read = await ada.post('/profile/private');
    expect(read.body).to.deep.include(DETAILS);
    expect(Object.keys(read.body)).to.deep.equal(['phone', 'tax_number', 'document', 'updated_at']);
  });

  it('are absent until they are sent', async () => {
    const { status, body } = await ada.post('/profile/private');
    expect([status, body['detail']]).to.deep.equal([404, 'There are no private details yet.']);
  });

  it('that are not sent do not change', async () => {
    await update(ada);
    const later = await update(ada, { phone: '+44 20 7946 0000' });
    expect(later.status).to.equal(200);
    expect((await ada.post('/profile/private')).body).to.deep.include({ ...DETAILS, phone: '+44 20 7946 0000' });
  });

  it('are ciphertext in the table, different each time', async () => {
    await update(ada);
    const first = (await kernel().post('/peek', { id: ada.id })).body;
    expect(JSON.stringify(first)).to.not.match(/1234567|811|passport|C01X00T47/);
    await update(ada);
    const second = (await kernel().post('/peek', { id: ada.id })).body;
    for (const name of ['phone', 'tax_number', 'document']) expect(second[name], name).to.not.equal(first[name]);
  });

  it('cannot be decrypted elsewhere: a value that was moved to another row or column is rejected', async () => {
    const bob = await createPerson(kernel());
    await update(ada);
    await update(bob, { phone: '+1 555 0100', tax_number: '12 345 678' });
    await kernel().post('/move', { from: ada.id, to: bob.id });
    const moved = await bob.post('/profile/private');
    expect([moved.status, moved.body['code']]).to.deep.equal([422, 'CPH_OPEN']);
    expect(moved.text).to.not.contain('1234567');
    await kernel().post('/swap', { id: ada.id });
    expect((await ada.post('/profile/private')).body['code']).to.equal('CPH_OPEN');
  });

  it('name each violated rule, and reject unknown fields inside the document', async () => {
    const document = { kind: '', number: 'x'.repeat(41), country: 'Germany', extra: 1 };
    const { status, body } = await update(ada, { phone: '1', tax_number: 7, document });
    expect(status).to.equal(422);
    const pointers = (body['errors'] as readonly Loose[]).map(({ pointer }) => pointer);
    expect(pointers).to.have.members([
      '/phone',
      '/tax_number',
      '/document/kind',
      '/document/number',
      '/document/country',
      '/document/extra',
    ]);
  });

  it('require a token, and are deleted with the wallet', async () => {
    for (const path of ['/profile/private', '/profile/private/update'])
      expect((await kernel().post(path, DETAILS)).status, path).to.equal(401);
    await update(ada);
    expect((await ada.post('/profile/close')).status).to.equal(200);
    for (const path of ['/profile/private', '/profile/private/update'])
      expect((await ada.post(path, DETAILS)).status, path).to.equal(404);
    expect((await kernel().post('/peek', { id: ada.id })).body).to.equal(null);
  });
});
