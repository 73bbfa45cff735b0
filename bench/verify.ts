/**
 * Sends the same requests to every target before any load. Responses must be equal member by member, except for members
 * that the row lists as varying, whose form is checked.
 */
import { deepStrictEqual } from 'node:assert';
import { buildRowRequest, type RejectedRequest, type Row, type RowRequest } from './rows.js';
import type { Server } from './server.js';
import type { Ledger } from './tables.js';

const samples = 5;
const atOnce = 100;

/** Throws an error at the first difference, with the row, the target and the body. */
export async function verify(row: Row, servers: readonly Server[]): Promise<void> {
  for (let n = 0; n < samples; n++) {
    const request = buildRowRequest(row, n);
    let expected: unknown;
    for (const [index, server] of servers.entries()) {
      const where = `${row.name} on ${server.name} for ${request.path} ${request.body ?? ''}`;
      const answer = normalizeAnswer(row, await requestJson(server, request, 200, where), where);
      if (index === 0) expected = answer;
      else expectEqual(answer, expected, `${where}: not the answer of ${servers[0]?.name ?? ''}`);
    }
  }
  for (const { status, ...refused } of row.refused) {
    const request = buildRefusedRequest(row, refused);
    for (const server of servers) {
      const where = `${row.name} on ${server.name} for ${request.path} ${request.body ?? ''}`;
      await requestJson(server, request, status, where);
    }
  }
}

/** Uses only the headers that the rejected request names, not those of the row. */
function buildRefusedRequest(row: Row, refused: Omit<RejectedRequest, 'status'>): RowRequest {
  const { authorization, headers } = refused;
  const isGet = row.method === 'GET';
  return {
    method: isGet ? 'GET' : 'POST',
    path: refused.path ?? row.path,
    body: isGet ? undefined : JSON.stringify(refused.body),
    headers: {
      ...(!isGet && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
      ...headers,
    },
  };
}

/** Sends concurrent requests that change one row; their sum must be exact. */
export async function verifySum(row: Row, server: Server, ledger: Ledger): Promise<void> {
  if (row.adds === null) return;
  await ledger.reset(server);
  const where = `${row.name} on ${server.name}, ${atOnce} at once`;
  const request = buildRowRequest(row, 0);
  await Promise.all(Array.from({ length: atOnce }, () => requestJson(server, request, 200, where)));
  const left = (await ledger.countTraces(server))[row.adds];
  if (left !== atOnce) throw new Error(`${where}: left ${left} in ${row.adds}`);
}

async function requestJson(
  server: Server,
  { path, body, ...rest }: RowRequest,
  status: number,
  where: string,
): Promise<unknown> {
  const response = await fetch(server.url + path, {
    ...rest,
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(5000),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${where}: ${response.status} instead of ${status}: ${text}`);
  if (!(response.headers.get('content-type') ?? '').includes('json'))
    throw new Error(`${where}: the answer is not JSON`);
  return JSON.parse(text);
}

/** Replaces varying members by their names, so that the others can be compared. */
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
