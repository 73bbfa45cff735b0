/** A recorded request for the page: places in the definitions, a command for curl, the request to repeat. */
import { isAbsolute, resolve } from 'node:path';
import type { Recording } from '../../contract/console.js';
import { isObject, splitPointer, type Json, type JsonObject } from '../../contract/json.js';
import { fillMessage } from '../../contract/problem.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { isInside } from '../../language/analysis/report.js';
import { createDefinitions, type Definitions, type Place, type SourceSpot } from '../debug/places.js';
import { MASKED } from '../debug/secrets.js';

/** Null: the request can be sent again. */
export function findReplayObstacle({ trigger, resource, path, files, lacks }: Recording): string | null {
  if (resource === null) return 'The request has reached no resource.';
  if (Object.hasOwn(OTHER_WAYS, trigger)) return OTHER_WAYS[trigger] ?? null;
  if (trigger !== 'http' && path?.includes(':') !== false)
    return 'The path of the message has parameters, which are not recorded apart from its payload.';
  if (files > 0) return 'The request had files, which are not recorded.';
  if (lacks === 'secret') return 'The request had secrets, which are not recorded.';
  return lacks === 'size' ? 'The request is too large to be recorded whole.' : null;
}

/** By trigger. A message is sent again as a request. */
const OTHER_WAYS: Readonly<Record<string, string>> = {
  job: 'A job is not sent again: send the request that accepted it, or retry the job in the pane "Jobs".',
  cron: 'A scheduled run is not sent again: run it now in the pane "Schedules".',
};

export interface ReplayRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Headers that the sender writes, and those of a browser. */
const OWN_HEADERS =
  /^(?:host|connection|content-(?:type|length)|transfer-encoding|user-agent|accept.*|origin|referer|sec-.*|cookie|authorization|cache-control|pragma|upgrade.*|x-forwarded-.*|x-lintel-console|priority|dnt|keep-alive|te|traceparent)$/;

/** `isDev`: with a new token of the same caller. */
export async function createReplay(kernel: Kernel, recording: Recording, isDev: boolean): Promise<ReplayRequest> {
  const { method, target, resource, payload, claims, headers } = recording;
  const verb = method ?? 'POST';
  const isInQuery = verb === 'GET' || verb === 'HEAD' || verb === 'DELETE';
  const body = isInQuery ? null : JSON.stringify(payload);
  const own = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      !OWN_HEADERS.test(entry[0]) && typeof entry[1] === 'string' && !entry[1].includes(MASKED),
  );
  const path = target ?? recording.path ?? '/';
  // The commands of tests hold much that a server does not need.
  const credentials = isDev
    ? await (
        await import('../test/server.js')
      ).createCredentials(kernel, {
        id: resource ?? '',
        claims: isObject(claims) ? stripTimes(claims) : null,
        signed: null,
        method: verb,
        path,
        body: Buffer.from(body ?? ''),
      })
    : {};
  return {
    method: verb,
    path,
    headers: {
      ...Object.fromEntries(own),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...credentials,
    },
    body,
  };
}

/** Those that a new token gets by itself. */
const STANDARD = new Set(['iat', 'exp', 'nbf', 'jti', 'iss', 'aud']);

export const stripTimes = (claims: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !STANDARD.has(name)));

const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function formatReplayCurl({ method, path, headers, body }: ReplayRequest, host: string): string {
  const words = [
    `curl -s -X ${/^[A-Z]+$/.test(method) ? method : quoteShell(method)} ${quoteShell(`http://${host}${path}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoteShell(body)}`]),
  ];
  return words.join(' \\\n  ');
}

const NOTHING: ReadonlyMap<string, readonly string[]> = new Map();

const readDefinitions = (kernel: Kernel): Definitions =>
  createDefinitions(kernel, kernel.analysis(), NOTHING, () => false);

/** `isDev`: with paths of this machine. */
export function describeRecording(kernel: Kernel, recording: Recording, isDev: boolean): object {
  const definitions = readDefinitions(kernel);
  const showSpot = (spot: SourceSpot | null): Json => spot && formatSpot(kernel, spot, isDev);
  const { stages, problem, resource, ...rest } = recording;
  const at = (action: string | null, field: string | null): Place => ({
    resource: resource ?? '',
    action,
    field,
    moment: field === null ? 'before' : 'step',
  });
  return {
    ...rest,
    resource,
    place: resource === null ? null : showSpot(definitions.locate(at(null, null))),
    obstacle: findReplayObstacle(recording),
    stages: stages.map((stage) => ({
      ...stage,
      types: listTypes(kernel, stage.key),
      transaction: findTransaction(kernel, resource, stage.key),
      place: showSpot(definitions.locate(at(stage.key, null))),
    })),
    problem: problem && {
      ...problem,
      message: describeCode(kernel, problem.code),
      place: showSpot(locateProblem(definitions, at(problem.action, problem.field), problem.issues[0]?.pointer)),
    },
  };
}

/** At the rule of the first field that was rejected. */
function locateProblem(definitions: Definitions, place: Place, pointer: string | undefined): SourceSpot | null {
  const name = pointer === undefined ? undefined : splitPointer(pointer).at(-1);
  const inside = name === undefined ? null : definitions.locateInside(place, name);
  return inside ?? definitions.locate(place) ?? definitions.locate({ ...place, field: null, action: null });
}

const describeCode = (kernel: Kernel, code: string): string =>
  fillMessage(kernel.project.registry.codes[code]?.message ?? code, {});

/** `file`: as in problems; `link`: opens the place in VS Code. */
export function formatSpot(
  { project: { folder } }: Kernel,
  { file, range: { start } }: SourceSpot,
  isDev: boolean,
): JsonObject {
  const path = isAbsolute(file) ? file : resolve(folder, file);
  const name = path.startsWith(folder) ? path.slice(folder.length).replace(/^[/\\]/, '') : path;
  const [line, column] = [start.line + 1, start.character + 1];
  const slashed = path.replaceAll('\\', '/');
  const link = `vscode://file${slashed.startsWith('/') ? '' : '/'}${encodeURI(slashed)}:${line}:${column}`;
  return { file: `${isDev ? name : name.split(/[/\\]/).at(-1)}`, line, column, link: isDev ? link : null };
}

/** Of parameters, as the database has inferred them. */
function listTypes(kernel: Kernel, key: string): readonly string[] {
  for (const { actions } of kernel.analysis().resources) {
    const action = actions.find((one) => one.key === key);
    if (action === undefined) continue;
    const statements = action.definition.finds.statements.filter(({ node }) => isInside(node, action.node));
    const [only, other] = statements;
    return only === undefined || other !== undefined ? [] : (kernel.describeStatement(only)?.parameters ?? []);
  }
  return [];
}

/** Its isolation and locks. */
function findTransaction(kernel: Kernel, resource: string | null, key: string): Json {
  const plan = resource === null ? undefined : kernel.plans().byId.get(resource);
  const groups = plan === undefined ? [] : [...plan.groups, ...[...plan.parts.values()].flatMap((part) => part.groups)];
  const group = groups.find(({ actions }) => actions.some((one) => one.key === key));
  return (group?.unit?.describe as Json | undefined) ?? null;
}
