/**
 * One identity in any notation: rules convert texts into one form before they are validated, compared and stored, and
 * limits count all notations as one. Real HTTP on an embedded database.
 */
import { expect } from 'chai';
import { FORMS, type CanonicalForm } from '../../plugins/validation-types/shared/canonical.light.js';
import { createCanonicalizer, foldText } from '../../plugins/shared/canonical.js';
import { describeOnDatabase } from '../support/kernel.js';
import { generateText, fc } from '../support/properties.js';
import { connect } from '../support/sockets.js';

const EMAIL = { type: 'EMAIL', canonical: 'email' };
const rules = (fields: object): object => ({ payload_validation: [{ field: fields }] });
const echo = (id: string, fields: object, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD', ...rules(fields), ...more }],
});
const hashed = [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }];

const FILES = {
  'definitions/_member.model.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    email: { type: 'String', unique: true },
    password: { type: 'String' },
  },
  'definitions/a.json': [
    {
      id: 'sign-up',
      resource: 'sign-up',
      returnables: ['email'],
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ...rules({ email: EMAIL, password: { type: 'STRING', canonical: 'nfc', max_length: 4 } }),
          hashables: hashed,
          sql_query: {
            query: 'INSERT INTO member (email, password) VALUES ($1, $2)',
            parameters: ['email', 'password'],
            unique: ['email'],
          },
        },
      ],
    },
    {
      id: 'sign-in',
      resource: 'sign-in',
      returnables: ['email'],
      rate_limit: { limit: 5, identifier: '$PAYLOAD.email', expires_after: 600 },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          ...rules({ email: EMAIL, password: { type: 'STRING', canonical: 'nfc' } }),
          verify_hashables: hashed.map(({ property, algorithm }) => ({ property, algorithm })),
          sql_query: { query: 'SELECT email, password FROM member WHERE email = $1', parameters: ['email'] },
        },
      ],
    },
    echo('texts', {
      plain: { type: 'STRING', optional: true },
      trimmed: { type: 'STRING', canonical: 'trim', min_length: 2, optional: true },
      small: { type: 'STRING', canonical: ['lower', 'trim'], optional: true },
      composed: { type: 'STRING', canonical: 'nfc', max_length: 1, optional: true },
      list: { type: 'STRINGARRAY', canonical: 'lower', optional: true },
      within: { type: 'OBJECT', fields: { email: EMAIL }, optional: true },
      each: { type: 'ARRAY', fields: { email: EMAIL }, optional: true },
    }),
    echo('unjudged', { email: EMAIL }, { bypass_payload_validation: true }),
    echo('by-path', { name: { type: 'STRING', canonical: 'lower' } }),
    {
      ...echo('guess', {}),
      rate_limit: { limit: 5, identifier: '$PAYLOAD.email', expires_after: 600 },
      actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
    },
    {
      ...echo('by-header', {}),
      rate_limit: { limit: 2, identifier: '$HEADER.x-tenant', expires_after: 600 },
      actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
    },
  ],
};

describeOnDatabase(
  'canonical identity',
  { files: FILES, config: { websocket: { enabled: true } }, validated: true },
  (kernel) => {
    it('treats all notations of an address as one account', async () => {
      const post = (path: string, email: string, password: string) => kernel().post(path, { email, password });
      const made = await post('/sign-up', '  Ada@B\u00fccher.Example. ', 'caf\u0065\u0301');
      expect([made.status, made.body]).to.deep.equal([200, { email: 'ada@xn--bcher-kva.example' }]);
      for (const email of ['ada@xn--bcher-kva.example', 'ADA@BU\u0308CHER.EXAMPLE', 'ada@b\u00fccher.example\n'])
        expect((await post('/sign-up', email, 'x')).status, email).to.equal(409);
      // A password has its own form, and the hash is of that.
      for (const password of ['caf\u00e9', 'caf\u0065\u0301'])
        expect((await post('/sign-in', ' ADA@b\u00fccher.example..', password)).body).to.deep.equal({
          email: 'ada@xn--bcher-kva.example',
        });
      expect((await post('/sign-in', 'ada@xn--bcher-kva.example', 'cafe')).status).to.equal(401);
    });

    it('validates and uses texts in their canonical form; others are used as they were sent', async () => {
      const sent = {
        plain: ' A ',
        trimmed: '\u00a0ab\t',
        small: ' \u0130STANBUL ',
        composed: 'e\u0301',
        list: ['A', 'b', 'C\u0327'],
        within: { email: 'Ada@Example.COM', other: ' X ' },
        each: [{ email: ' A@b.co' }, { email: 'a@B.co.' }],
      };
      expect((await kernel().post('/texts', sent)).body).to.deep.equal({
        plain: ' A ',
        trimmed: 'ab',
        small: 'i\u0307stanbul',
        composed: '\u00e9',
        list: ['a', 'b', '\u00e7'],
        within: { email: 'ada@example.com', other: ' X ' },
        each: [{ email: 'a@b.co' }, { email: 'a@b.co' }],
      });
      for (const [name, value] of [
        ['trimmed', ' a '],
        ['trimmed', 7],
        ['small', ['A']],
        ['within', { email: ' a b@c.de' }],
        ['within', { email: 'a@b%2eco' }],
        ['each', [{ email: 'A' }]],
        ['list', [1]],
      ] as const) {
        const { status, body } = await kernel().post('/texts', { [name]: value });
        expect([status, body['code']], JSON.stringify(value)).to.deep.equal([422, 'VAL_PAYLOAD']);
      }
      expect((await kernel().post('/unjudged', { email: ' ADA@x.co ' })).body).to.deep.equal({ email: 'ada@x.co' });
    });

    it('applies to messages of a connection too', async () => {
      const client = await connect(kernel().url);
      expect((await client.sendRequest('texts', { small: ' A ' })).data).to.deep.equal({ small: 'a' });
      await client.close();
    });

    it('counts all notations as one in a limit, without a rule', async () => {
      const notations = [
        'eve@b\u00fccher.de',
        'EVE@B\u00dcCHER.DE',
        ' eve@b\u00fccher.de',
        'eve@b\u00fccher.de\u00a0',
        'eve@bu\u0308cher.de',
        '\uff45\uff56\uff45@b\u00fccher.de',
        'eve@b\u00fccher.de.',
        'e\u200bve@\ufeffb\u00fc\u00adcher.de',
        '\u00e9ve@b\u00fccher.de',
      ];
      const statuses: number[] = [];
      for (let i = 0; i < 36; i++)
        statuses.push((await kernel().post('/guess', { email: notations[i % notations.length] })).status);
      expect(statuses.filter((status) => status === 200)).to.have.length(5);
      for (const other of ['eva@b\u00fccher.de', 'eve@bucher.com', 'eve bucher.de'])
        expect((await kernel().post('/guess', { email: other })).status, other).to.equal(200);
      const headers = ['acme', 'ACME', 'Acme', '\u00e1cme'];
      const counted = [];
      for (const tenant of headers)
        counted.push((await kernel().post('/by-header', {}, { headers: { 'x-tenant': tenant } })).status);
      expect(counted).to.deep.equal([200, 200, 429, 429]);
      for (const blank of ['', '   ', '\u200b'])
        expect((await kernel().post('/guess', { email: blank })).body['code']).to.equal('LIM_UNIDENTIFIED');
    });

    it('counts numbers by their value in a limit, as text or not', async () => {
      const statuses: number[] = [];
      for (const email of [5, '5', ' 5', '05', '5.0', '+5', '5e0'])
        statuses.push((await kernel().post('/guess', { email })).status);
      expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
      for (const email of ['9007199254740993', '9007199254740992', '-5', '0x5'])
        expect((await kernel().post('/guess', { email })).status, email).to.equal(200);
    });
  },
);

describe('canonical forms of text', () => {
  const forms = fc.subarray([...FORMS], { minLength: 1 });
  const texts = fc.oneof(
    generateText(),
    fc.constantFrom(
      '',
      '@',
      'a@',
      '@.',
      'A@B.',
      '\u1e9e@\ufb01.DE',
      'a@\u3002',
      'a@b\uff0ec',
      'a@%41',
      '\u0130',
      '\u212a',
      'a@xn--',
    ),
  );
  const of = (list: readonly CanonicalForm[], text: string): string => createCanonicalizer(list)?.(text) ?? text;

  it('are stable: a canonical value is not changed again', () => {
    fc.assert(
      fc.property(forms, texts, (list, text) => of(list, of(list, text)) === of(list, text)),
      { numRuns: 2000 },
    );
  });

  it('count as one if a rule makes them equal', () => {
    fc.assert(
      fc.property(forms, texts, (list, text) => foldText(of(list, text)) === foldText(text)),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(texts, (text) => foldText(foldText(text)) === foldText(text)),
      { numRuns: 1000 },
    );
  });
});
