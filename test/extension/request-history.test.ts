/** What the request panel keeps of requests, and how it completes a payload. */
import { expect } from 'chai';
import type { Memento } from 'vscode';
import { completePayload, createRequestHistory } from '../../extension/src/panels/request-history.js';
import type { RequestShape } from '../../extension/src/panels/server-requests.js';

const SHAPE = {
  id: 'sign-in',
  folder: 'file:///p',
  payload: { email: 'ada@example.com', password: 'a sample', card: { number: 'a sample' } },
  secrets: ['number'],
} as unknown as RequestShape;

function createState(): { readonly state: Memento; readonly read: () => string } {
  const kept = new Map<string, unknown>();
  const state = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
  return { state: { ...state, keys: () => [...kept.keys()] } as Memento, read: () => JSON.stringify([...kept]) };
}

const send = (payload: object | string, at = 1, parameters: Record<string, string> = {}) => ({
  ...{ at, method: 'POST', parameters },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});

describe('extension: request history', () => {
  it('stores requests without secrets, which the sample replaces', async () => {
    const { state, read } = createState();
    const history = createRequestHistory(state);
    const payload = {
      email: 'b@c.d',
      password: 'hunter2',
      card: { number: '4111', name: 'B' },
      list: [{ token: 'tkn' }],
    };
    await history.add(SHAPE, send(payload, 5, { id: '7', api_key: 'kkk' }));
    for (const secret of ['hunter2', '4111', 'tkn', 'kkk']) expect(read()).not.to.include(secret);
    const [sent] = history.list(SHAPE);
    expect({ ...sent, payload: JSON.parse(sent?.payload ?? '') as object }).to.deep.equal({
      ...{ at: 5, method: 'POST', parameters: { id: '7' } },
      payload: { email: 'b@c.d', password: 'a sample', card: { name: 'B', number: 'a sample' }, list: [{}] },
    });
  });

  it('stores the last requests of each resource, each once, and no large ones', async () => {
    const history = createRequestHistory(createState().state);
    const other = { ...SHAPE, id: 'other' };
    for (let i = 1; i <= 15; i++) await history.add(SHAPE, send({ email: `${i}@c.d` }, i));
    await history.add(SHAPE, send({ email: '14@c.d' }, 20));
    await history.add(SHAPE, send({ email: 'x'.repeat(30_000) }, 21));
    await history.add(other, send(''));
    expect(history.list(SHAPE).map(({ at }) => at)).to.deep.equal([20, 15, 13, 12, 11, 10, 9, 8, 7, 6]);
    expect(history.list(other)).to.have.length(1);
    expect(history.list({ ...SHAPE, folder: 'file:///q' })).to.deep.equal([]);
  });
});

describe('extension: a payload', () => {
  it('is completed with what the rules require, and keeps what was typed', () => {
    const complete = (text: string, sample: unknown): unknown => JSON.parse(completePayload(text, sample));
    expect(complete('{"a": 5, "c": {"d": 1}}', { a: 1, b: 2, c: { d: 0, e: 0 } })).to.deep.equal({
      ...{ a: 5, b: 2 },
      c: { d: 1, e: 0 },
    });
    expect(complete('[{"a": 5}, {}]', [{ a: 1, b: 2 }])).to.deep.equal([
      { a: 5, b: 2 },
      { a: 1, b: 2 },
    ]);
    expect(complete('', { a: 1 })).to.deep.equal({ a: 1 });
    expect(completePayload('{"a":', { a: 1 })).to.equal('{"a":');
    expect(completePayload('', {})).to.equal('');
  });
});
