/**
 * Asks every target the same questions before any load is applied: a wrong answer has no speed. Answers must be equal
 * member by member, apart from the members a row names as varying, and those must have the right shape.
 */
import { deepStrictEqual } from 'node:assert';
import { buildRowRequest, type Row } from './rows.js';
import type { Server } from './server.js';
import type { Ledger } from './tables.js';

const samples = 5;
const atOnce = 100;

/** Throws at the first difference, naming row, target and body. */
export async function verify(row: Row, servers: readonly Server[]): Promise<void> {
  for (let n = 0; n < samples; n++) {
    const body = row.body(n);
    let expected: unknown;
    for (const [index, server] of servers.entries()) {
      const where = `${row.name} on ${server.name} for ${JSON.stringify(body)}`;
      const answer = normalizeAnswer(
        row,
        await requestJson(server, row, body, 200, where, buildRowRequest(row, n).headers),
        where,
      );
      if (index === 0) expected = answer;
      else expectEqual(answer, expected, `${where}: not the answer of ${servers[0]?.name ?? ''}`);
    }
  }
  for (const { body, status, authorization, headers } of row.refused) {
    const sent = { ...(authorization !== undefined && { authorization }), ...headers };
    for (const server of servers) {
      const where = `${row.name} on ${server.name} for ${JSON.stringify(body)}`;
      await requestJson(server, row, body, status, where, sent);
    }
  }
}

/** Many at once on one row: what they add must be there to the last one. */
export async function verifySum(row: Row, server: Server, ledger: Ledger): Promise<void> {
  if (row.adds === null) return;
  await ledger.reset(server);
  const where = `${row.name} on ${server.name}, ${atOnce} at once`;
  await Promise.all(Array.from({ length: atOnce }, () => requestJson(server, row, row.body(0), 200, where)));
  const left = (await ledger.countTraces(server))[row.adds];
  if (left !== atOnce) throw new Error(`${where}: left ${left} in ${row.adds}`);
}

async function requestJson(
  server: Server,
  { path }: Row,
  body: object,
  status: number,
  where: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${where}: ${response.status} instead of ${status}: ${text}`);
  if (!(response.headers.get('content-type') ?? '').includes('json'))
    throw new Error(`${where}: the answer is not JSON`);
  return JSON.parse(text);
}

/** The answer with its varying members replaced by their names, so that the rest can be compared. */
function normalizeAnswer(row: Row, answer: unknown, where: string): unknown {
  const varying = Object.entries(row.varying);
  if (varying.length === 0) return answer;
  const copy: Record<string, unknown> = { ...(answer as object) };
  for (const [member, fits] of varying) {
    if (!fits(copy[member])) throw new Error(`${where}: ${member} is ${JSON.stringify(copy[member])}`);
    copy[member] = `<${member}>`;
  }
  return copy;
}

function expectEqual(actual: unknown, expected: unknown, message: string): void {
  try {
    deepStrictEqual(actual, expected);
  } catch {
    throw new Error(`${message}\n  got      ${JSON.stringify(actual)}\n  expected ${JSON.stringify(expected)}`);
  }
}
