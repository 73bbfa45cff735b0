/**
 * Expensive work is scheduled fairly between clients: a client with many requests waits for itself, and others are
 * served.
 */
import { expect } from 'chai';
import { describeOnDatabase } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';

const FILES = {
  'definitions/_user.json': { id: { type: 'Number', primary_key: true }, password: { type: 'String' } },
  'definitions/a.json': [
    defineQueryResource(
      'sign-up',
      'INSERT INTO users (id, password) VALUES ($1, $2)',
      ['$PAYLOAD.id', '$PAYLOAD.password'],
      {
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 8 } }],
      },
    ),
    defineQueryResource('sign-in', 'SELECT id, password FROM users WHERE id = $1', ['$PAYLOAD.id'], {
      verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
    }),
  ],
};

describeOnDatabase(
  'flood of sign-ins from one address',
  { files: FILES, config: { http: { trusted_proxies: 1 } } },
  (kernel) => {
    const signIn = async (address: string, password: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address };
      return (await kernel().post('/sign-in', { id: 1, password }, { headers })).status;
    };

    it('blocks no other session, and gets the remaining rows', async () => {
      expect((await kernel().post('/sign-up', { id: 1, password: 'secret' })).status).to.equal(200);
      const flood = Array.from({ length: 160 }, () => signIn('10.0.0.1', 'wrong'));
      const others = await Promise.all(Array.from({ length: 25 }, (_, n) => signIn(`10.0.1.${n}`, 'secret')));
      expect(others).to.deep.equal(others.map(() => 200));
      const statuses = await Promise.all(flood);
      expect(new Set(statuses)).to.deep.equal(new Set([401, 503]));
      expect(statuses.filter((status) => status === 401).length).to.be.at.least(60);
    });
  },
);
