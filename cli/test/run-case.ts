/** Runs one case: empties the stores, sends the requests, and compares. */
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Mismatch } from '../../contract/matcher.js';
import type { ReportedExchange } from '../../contract/tests.js';
import { startStopwatch } from './time.js';
import { createContentReader, matchFiles, readStoredFiles, summarizeFiles, type ContentReader } from './contents.js';
import { CUT_OFF } from './debugging.js';
import { asObject, locatePointer, type TestCase } from './definition.js';
import {
  createMatch,
  describeExchange,
  matchRows,
  show,
  type Match,
  type Matchers,
  type SentRequest,
} from './match.js';
import type { CaseFailure, CaseOutcome, SnapshotUpdate } from './outcome.js';
import { createHandshake, createRequest } from './request.js';
import { createValues, fillAll, readPath } from './saved.js';
import { describeError } from '../statements/run-statement.js';
import { changeStores, hasChanges, hasSameRows, readState, type TestState } from './state.js';
import { formatRequest, type ReceivedResponse } from './send.js';
import { listRows, sortByReferences, type TestStores } from './stores.js';
import type { TestServer } from './server.js';

export interface CaseContext {
  readonly server: TestServer;
  readonly stores: TestStores;
  readonly matchers: Matchers;
  /** Null unless snapshots are written. */
  readonly update: UpdateOptions | null;
}

export interface UpdateOptions {
  /** Whether a text has a secret or a token, which no file may contain. */
  hasSecret(text: string): boolean;
}

interface Running extends CaseContext {
  readonly test: TestCase;
  readonly saved: Map<string, unknown>;
  readonly match: Match;
  readonly contents: ContentReader;
  /** `at`: JSON pointer in the case. */
  readonly fail: (at: string, found: readonly Mismatch[], exchange?: ReportedExchange) => void;
}

export async function runCase(context: CaseContext, test: TestCase): Promise<CaseOutcome> {
  const { definition, id, group, at } = test;
  const elapsed = startStopwatch();
  const failures: CaseFailure[] = [];
  const updates: SnapshotUpdate[] = [];
  const saved = createValues(test.given['values']);
  const fail: Running['fail'] = (pointer, found, exchange) => {
    for (const { message, pointer: inner, update: value } of found) {
      const place = `${at}${pointer}${inner}`;
      const isSecret = value !== undefined && context.update?.hasSecret(JSON.stringify(value)) === true;
      const why = isSecret
        ? 'no snapshot can be written: it has a secret or a token; write a matcher in its place'
        : message;
      if (value === undefined || isSecret)
        failures.push({ message: why, exchange, ...locatePointer(definition, place) });
      else updates.push({ definition, pointer: place, value });
    }
  };
  const contents = createContentReader(context.server.kernel.project, test, saved);
  const running: Running = {
    ...context,
    test,
    saved,
    match: createMatch(context.matchers, saved, context.update !== null),
    contents,
    fail,
  };
  try {
    await runSteps(running, failures);
  } catch (error) {
    fail('/id', [toMismatch(error)]);
  } finally {
    await context.server.clients.closeAll();
    if (context.server.debug?.isCutOff() === true) fail('/id', [{ pointer: '', message: CUT_OFF }]);
  }
  const isPassed = failures.length === 0;
  return { file: definition.doc.file, group, id, milliseconds: elapsed(), failures, updates: isPassed ? updates : [] };
}

const toMismatch = (error: unknown): Mismatch => ({
  pointer: '',
  message: error instanceof Error ? error.message : String(error),
});

async function runSteps(running: Running, failures: readonly CaseFailure[]): Promise<void> {
  const { test, stores, server } = running;
  server.begin(test.given, running.match);
  await stores.resetAll();
  const given = Object.entries(asObject(test.given['tables'])).map(([name, rows]) => ({
    name,
    table: stores.getTable(name),
    rows: listRows(fillAll(rows, running.saved) as Json),
  }));
  for (const { name, table, rows } of sortByReferences(given))
    await stores.insertRows(table, rows).catch((error: unknown) => {
      throw new Error(`the given rows of "${name}": ${describeError(error).text}`);
    });
  await stores.insertFiles(await readStoredFiles(test.given['files'], running.contents));
  const before = test.expect['unchanged'] === true ? await readState(stores) : null;
  for (const [index, step] of test.steps.entries()) {
    await runStep(running, step, `/steps/${index}`, before).catch((error: unknown) =>
      running.fail(`/steps/${index}`, [toMismatch(error)]),
    );
    // What follows a failed step would only repeat it.
    if (failures.length > 0) return;
  }
  await checkTables(running, before);
  await checkFiles(running, before);
  await checkEffects(running);
}

async function checkEffects({ server, test: { expect }, match, fail }: Running): Promise<void> {
  const { jobs, calls, messages } = expect;
  const asList = (json: Json | undefined): readonly Json[] | null =>
    Array.isArray(json) ? (json as readonly Json[]) : null;
  const wantedJobs = asList(jobs);
  if (wantedJobs !== null) fail('/expect/jobs', matchRows(wantedJobs, await server.jobs.listJobs(), match, 'job'));
  if (calls !== undefined) fail('/expect/calls', match(calls, server.services.calls));
  if (messages !== undefined) fail('/expect/messages', match(messages, server.messages));
}

async function runStep(running: Running, step: JsonObject, at: string, before: TestState | null): Promise<void> {
  const { server, fail } = running;
  if (hasChanges(step)) await changeStores(running, step, at, before);
  if (typeof step['wait'] === 'number') await server.jobs.wait(step['wait'] * 1000);
  if (step['run'] === 'jobs') await server.jobs.runDue();
  if (step['run'] === 'schedules') await server.jobs.runSchedules();
  if (isObject(step['connect'])) await connectClient(running, step, at);
  if (isObject(step['request'])) await runRequest(running, step, at);
  if (step['receive'] !== undefined) await receiveMessage(running, step, at);
  if (step['disconnect'] !== undefined) await server.clients.disconnect(asText(step['disconnect']));
  const [unexpected] = server.services.unexpected;
  if (unexpected !== undefined)
    fail(at, [{ pointer: '', message: `no service of the case expects this call: ${unexpected}` }]);
}

async function connectClient(
  { server, test, saved, match, fail }: Running,
  step: JsonObject,
  at: string,
): Promise<void> {
  const connect = asObject(step['connect']);
  const { url, headers } = await createHandshake(server, connect, test.given, saved);
  const received = await server.clients.connect(asText(connect['client']), url, headers);
  const expected = asObject(step['expect']);
  const isSilent = expected['status'] === undefined && expected['problem'] === undefined;
  checkResponse(received, isSilent ? { ...expected, status: 101 } : expected, match, (pointer, found) =>
    fail(
      `${at}/expect${pointer}`,
      found.map((one) => ({ ...one, message: `${pointer} ${one.message}`.trim() })),
    ),
  );
}

async function receiveMessage({ server, saved, match, fail }: Running, step: JsonObject, at: string): Promise<void> {
  const message = await server.clients.receive(asText(step['receive']));
  const { body } = asObject(step['expect']);
  if (body !== undefined) fail(`${at}/expect/body`, match(body, message));
  saveValues(step, message, saved, (pointer, found) => fail(`${at}${pointer}`, found));
}

/** Over HTTP, or as a message of a connected client. */
async function sendRequest({ server, test, saved, contents }: Running, request: JsonObject): Promise<SentRequest> {
  const client = asText(request['client']);
  const named = asText(request['resource']);
  if (client !== '') {
    const unsent = ['method', 'headers', 'files', 'signed', 'as'].find((field) => request[field] !== undefined);
    if (unsent !== undefined) throw new Error(`"${unsent}" has no effect: a message of a WebSocket client has none`);
    const resource = named || asText(request['path']);
    const body = fillAll(request['body'] ?? {}, saved);
    const received = await server.clients.send(client, resource, body);
    server.coverage?.recordResponse(named || server.findResource(resource), received, body, 'websocket');
    return { request: `${resource}\n${JSON.stringify(body)}`, received };
  }
  const sent = await createRequest(server, request, test.given, { saved, contents });
  const received = await server.send(sent);
  const payload = { ...Object.fromEntries(sent.url.searchParams), ...asObject(request['body']) };
  server.coverage?.recordResponse(named || server.findResource(sent.url.pathname), received, payload, 'http');
  return { request: formatRequest(sent), received };
}

async function runRequest(running: Running, step: JsonObject, at: string): Promise<void> {
  const { server, saved, match, fail } = running;
  const sent = await sendRequest(running, asObject(step['request']));
  const { received } = sent;
  const expected = asObject(step['expect']);
  checkResponse(received, expected, match, (pointer, found) => {
    if (found.length === 0) return;
    const cause = received.status >= 500 ? server.explainFailure() : null;
    const more = cause === null ? '' : ` (${cause})`;
    fail(
      `${at}/expect${pointer}`,
      found.map((one) => ({ ...one, message: `${one.message}${more}` })),
      describeExchange(sent, expected, running),
    );
  });
  saveValues(step, received.body, saved, (pointer, found) => fail(`${at}${pointer}`, found));
}

function saveValues(step: JsonObject, body: unknown, saved: Map<string, unknown>, fail: Fail): void {
  for (const [name, path] of Object.entries(asObject(step['save']))) {
    const value = readPath(asText(path), body);
    if (value === undefined) {
      const message = `the body has no "${asText(path)}": ${show(body)}`;
      fail(`/save/${escapePointer(name)}`, [{ pointer: '', message }]);
    }
    saved.set(name, value);
  }
}

type Fail = (pointer: string, found: readonly Mismatch[]) => void;

function checkResponse(received: ReceivedResponse, expected: JsonObject, match: Match, fail: Fail): void {
  const { status, headers, body, problem } = expected;
  const isOk = received.status < 400;
  if (status !== undefined || (problem === undefined && !isOk)) {
    const found = match(status ?? 200, received.status);
    fail(
      status === undefined ? '' : '/status',
      found.map((one) => ({
        ...one,
        message: `status: ${one.message}${isOk ? '' : `; the response: ${show(received.body)}`}`,
      })),
    );
    if (found.length > 0) return;
  }
  for (const [name, value] of Object.entries(asObject(headers)))
    fail(`/headers/${escapePointer(name)}`, match(value, received.headers[name.toLowerCase()]));
  if (body !== undefined) fail('/body', match(body, received.body));
  if (problem !== undefined) fail('/problem', checkProblem(asObject(problem), received));
}

function checkProblem({ code, pointer }: JsonObject, { body, status }: ReceivedResponse): Mismatch[] {
  const problem = isObject(body) ? body : {};
  const issues = Array.isArray(problem['errors']) ? (problem['errors'] as readonly Json[]).map(asObject) : [];
  const codes = [problem['code'], ...issues.map((issue) => issue['code'])];
  if (status < 400) return [{ pointer: '', message: `expected a problem, received status ${status}: ${show(body)}` }];
  if (code !== undefined && !codes.includes(code))
    return [{ pointer: '/code', message: `expected ${show(code)}, received ${show(problem['code'])}: ${show(body)}` }];
  const named = issues.filter((issue) => code === undefined || problem['code'] === code || issue['code'] === code);
  if (pointer !== undefined && !named.some((issue) => issue['pointer'] === pointer))
    return [{ pointer: '/pointer', message: `expected ${show(pointer)}, received ${show(issues)}` }];
  return [];
}

async function checkFiles({ test, stores, match, contents, fail }: Running, before: TestState | null): Promise<void> {
  const { files: expected } = test.expect;
  if (expected === undefined && before === null) return;
  const files = await stores.readFiles();
  if (expected !== undefined) fail('/expect/files', await matchFiles(expected, files, match, contents));
  else if (summarizeFiles(files) !== before?.files) {
    const message = `the storage has changed; it has ${files.length} file(s): ${show(files.map(({ key }) => key))}`;
    fail('/expect/unchanged', [{ pointer: '', message }]);
  }
}

async function checkTables({ test, stores, match, fail }: Running, before: TestState | null): Promise<void> {
  const expected = Object.entries(asObject(test.expect['tables']));
  const named = new Set<string>();
  for (const [name, rows] of expected) {
    const table = stores.getTable(name);
    named.add(table.model);
    const found = matchRows(Array.isArray(rows) ? (rows as readonly Json[]) : [], await stores.readRows(table), match);
    fail(`/expect/tables/${escapePointer(name)}`, found);
  }
  if (before === null) return;
  for (const table of stores.tables) {
    if (named.has(table.model)) continue;
    const rows = await stores.readRows(table);
    if (hasSameRows(before, table, rows)) continue;
    const message = `"${table.table}" has changed; it has ${rows.length} row(s): ${show(rows)}`;
    fail('/expect/unchanged', [{ pointer: '', message }]);
  }
}

/** The resources that a case calls, with dependencies. Time and schedules can run any. */
export function listCalls(server: TestServer, { steps }: TestCase): Set<string> {
  const { resources } = server.kernel.analysis();
  const called = new Set<string>();
  for (const step of steps) {
    const { request } = step;
    if (isObject(request)) called.add(asText(request['resource']) || server.findResource(asText(request['path'])));
    if (step['wait'] !== undefined || step['run'] === 'schedules')
      for (const { resource } of server.kernel.running.schedules()) called.add(resource);
  }
  for (const { id, actions } of resources)
    if (called.has(id))
      for (const key of actions.flatMap(({ depends }) => depends)) called.add(key.split('#')[0] ?? '');
  return called;
}
