/**
 * Values that can only be text (query string, path) over real HTTP: converted where a rule requires it, and nowhere
 * else.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';

const rules = (field: object): object => ({ payload_validation: [{ field }] });
const NUMBER = { n: { type: 'NUMBER', min: -5 } };
const FILES = {
  'definitions/a.json': [
    {
      id: 'number',
      resource: 'number',
      actionables: [{ id: 1, mode: 'RETURN', value: { n: '$PAYLOAD.n' }, ...rules(NUMBER) }],
    },
    {
      id: 'list',
      resource: 'list',
      actionables: [
        { id: 1, mode: 'RETURN', value: { tags: '$PAYLOAD.tags' }, ...rules({ tags: { type: 'STRINGARRAY' } }) },
      ],
    },
    {
      id: 'text',
      resource: 'text',
      actionables: [{ id: 1, mode: 'RETURN', value: { s: '$PAYLOAD.s' }, ...rules({ s: { type: 'STRING' } }) }],
    },
    {
      id: 'in-path',
      resource: 'orders/:n/lines/:line',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          result: 'one',
          sql_query: {
            query: 'SELECT jsonb_typeof($1::jsonb) AS n, jsonb_typeof($2::jsonb) AS line, $3::bigint AS more',
            parameters: ['$PAYLOAD.n', '$PAYLOAD.line', '$PAYLOAD.more'],
          },
          ...rules({ ...NUMBER, more: { type: 'NUMBER', optional: true } }),
        },
      ],
      returnables: ['n', 'line', 'more'],
    },
    {
      id: 'bypassed',
      resource: 'bypassed',
      actionables: [
        { id: 1, mode: 'RETURN', value: { n: '$PAYLOAD.n' }, ...rules(NUMBER), bypass_payload_validation: true },
      ],
    },
  ],
};
const http = { methods: ['GET', 'POST', 'DELETE'] };

describeOnDatabase('values sent as text', { files: FILES, config: { http } }, (kernel) => {
  const requestBody = async (path: string, method = 'GET'): Promise<unknown> => {
    const { status, body } = await kernel().request(method, path);
    return status === 200 ? body : (body['errors'] as Loose[]).map(({ code }) => code);
  };

  const NUMBERS: readonly (readonly [query: string, value: unknown])[] = [
    ['5', 5],
    ['0', 0],
    ['-0', 0],
    ['-1.5', -1.5],
    ['1e3', 1000],
    ['1.5E%2B2', 150],
    ['9007199254740991', 9007199254740991],
  ];
  for (const [text, n] of NUMBERS) {
    it(`parse a number like JSON: n=${text}`, async () => {
      expect(await requestBody(`/number?n=${text}`)).to.deep.equal({ n });
      expect(await requestBody(`/number?n=${text}`, 'DELETE')).to.deep.equal({ n });
    });
  }

  const REJECTED = [
    '',
    '%20',
    '5%20',
    '%205',
    '%2B5',
    '05',
    '0x10',
    '5.',
    '.5',
    '1e',
    'NaN',
    'Infinity',
    '1_000',
    '1,5',
    '٣',
    'true',
  ];
  for (const text of [...REJECTED, '1e400', '9'.repeat(400)]) {
    it(`reject as a number: n=${text.slice(0, 20)}`, async () => {
      expect(await requestBody(`/number?n=${text}`)).to.deep.equal(['type']);
    });
  }

  it('apply the other bounds of the rule to the converted value', async () => {
    expect(await requestBody('/number?n=-6')).to.deep.equal(['min']);
    expect(await requestBody('/number?n=9007199254740993')).to.deep.equal({ n: '9007199254740993' });
    expect(await requestBody('/number?n=1e-400')).to.deep.equal(['type']);
    expect(await requestBody('/number?n=1&n=2')).to.deep.equal(['type']);
    expect(await requestBody('/number')).to.deep.equal(['required']);
  });

  it('reject text for a number in a body', async () => {
    const { status, body } = await kernel().post('/number', { n: '5' });
    expect([status, body['code']]).to.deep.equal([422, 'VAL_PAYLOAD']);
  });

  it('become a list: one text has one item, several have several', async () => {
    expect(await requestBody('/list?tags=a')).to.deep.equal({ tags: ['a'] });
    expect(await requestBody('/list?tags=a&tags=b')).to.deep.equal({ tags: ['a', 'b'] });
    expect(await requestBody('/list?tags=')).to.deep.equal({ tags: [''] });
  });

  it('keep text as text, whatever it looks like', async () => {
    expect(await requestBody('/text?s=5')).to.deep.equal({ s: '5' });
    expect(await requestBody('/text?s=a&s=b')).to.deep.equal(['type']);
  });

  it('pass the converted value of the path to a statement; a value without a rule remains text', async () => {
    expect(await requestBody('/orders/7/lines/8?more=9')).to.deep.equal({ n: 'number', line: 'string', more: 9 });
    const { body } = await kernel().post('/orders/7/lines/8', { more: 9 });
    expect(body).to.deep.equal({ n: 'number', line: 'string', more: 9 });
  });

  it('convert only the values of the path if there is a body', async () => {
    const { status, body } = await kernel().post('/orders/7/lines/8', { more: '9' });
    expect([status, (body['errors'] as Loose[])[0]?.['pointer']]).to.deep.equal([422, '/more']);
    expect((await kernel().post('/orders/seven/lines/8', {})).status).to.equal(422);
  });

  it('convert nothing by rules that are not checked', async () => {
    expect(await requestBody('/bypassed?n=5')).to.deep.equal({ n: '5' });
  });
});
