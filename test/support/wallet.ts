/** Users of the sample definitions: signs them up and calls endpoints with their token. Checks no other response. */
import { expect } from 'chai';
import type { Answer, Client, Loose } from './client.js';

export const PASSWORD = 'correct horse battery';
export const PIN = '4711';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** Posts with this person's token. */
  post<T = Loose>(path: string, body?: unknown): Promise<Answer<T>>;
  balance(): Promise<unknown>;
}

export const createWalletInit = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

let counter = 0;
export const createEmail = (): string => `user${++counter}@example.com`;

/** A new wallet, with money if `balance` is set. */
export async function createPerson(client: Client, balance = 0, rest: Loose = {}): Promise<Person> {
  const email = createEmail();
  const body = { email, name: 'Ada Lovelace', password: PASSWORD, pin: PIN, ...rest };
  const { status, text, body: made } = await client.post('/sign-up', body);
  expect(status, text).to.equal(200);
  const token = String(made['token']);
  const post = <T = Loose>(path: string, payload: unknown = {}): Promise<Answer<T>> =>
    repeatRefused(() => client.post<T>(path, payload, createWalletInit(token)));
  if (balance > 0) expect((await post('/wallet/deposit', { amount: balance })).status).to.equal(200);
  return {
    id: String(made['id']),
    email,
    token,
    post,
    balance: async () => (await post('/profile')).body['balance'],
  };
}

/**
 * Sends again what was rejected because no connection to the database became free in time, as on a busy machine:
 * nothing ran then, which the sums show.
 */
export async function repeatRefused<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (let time = 1; ; time++) {
    const answer = await send();
    const isRejected = answer.status === 503 && answer.text.includes('"code":"QRY_UNAVAILABLE"');
    if (!isRejected || time === 30) return answer;
  }
}

export const countStatuses = (answers: readonly Answer<unknown>[], ...statuses: readonly number[]): number[] =>
  statuses.map((wanted) => answers.filter(({ status }) => status === wanted).length);

/** Fails with the first responses of another status, unchanged. */
export function expectAll(answers: readonly Answer<unknown>[], status: number): void {
  const others = answers.filter((answer) => answer.status !== status).map(({ text }) => text);
  expect(others.slice(0, 3), `${others.length} of ${answers.length} are not ${status}`).to.deep.equal([]);
}
