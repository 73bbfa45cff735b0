/** The table of endpoints that the start prints, and a curl line that works. */
import { isObject, type Json } from '../contract/json.js';
import type { PlanSet, ResourcePlan } from '../compile/plan.js';
import { fillPath, hasParameters } from '../language/route.js';
import { paint } from './paint.js';

/** How the compiler writes that nobody is asked. */
const OPEN = 'open';

const HEAD = ['verb', 'path', 'guard', 'validation', 'touches'];

export function endpointTable(plans: PlanSet, methods: readonly string[]): string {
  const served = reachable(plans);
  if (served.length === 0) return 'No endpoint: the definitions hold no resource that can be reached.';
  const cells = served.map((plan) => [
    methods.join(', '),
    `/${plan.path}`,
    plan.summary.guard,
    plan.summary.validated.join(', ') || '-',
    plan.summary.touches.filter((name) => name !== 'nothing').join(', ') || '-',
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [paint('dim', line(HEAD)), ...cells.map(line)].join('\n');
}

/** A call that passes the rules and needs no token, in the first verb that has a body; with the query string where none has. */
export function curlLine(plans: PlanSet, url: string, methods: readonly string[]): string | null {
  const served = reachable(plans);
  // What is guarded would need more than a body; a path with parameters names something that exists already.
  const open = served.filter(({ summary }) => summary.guard === OPEN);
  const plain = open.filter(({ path }) => !hasParameters(path));
  const ruled = [...plain, ...open].filter(({ summary }) => summary.validated.length > 0);
  const plan = ruled.find(({ summary }) => !summary.presumes) ?? ruled[0] ?? plain[0] ?? open[0];
  if (plan === undefined) return null;
  const { sample, path } = withPath(plan);
  const address = `${url}/${path}`;
  const method = methods.find((name) => name !== 'GET' && name !== 'DELETE');
  if (method === undefined) return `curl -s -X ${methods[0] ?? 'GET'} ${quoted(`${address}${queryOf(sample)}`)}`;
  const body = quoted(JSON.stringify(sample));
  return `curl -s -X ${method} ${address} -H 'content-type: application/json' -d ${body}`;
}

/** A value in the place of each path parameter; the rest of the sample is sent beside it. */
function withPath({ path, summary }: ResourcePlan): { readonly path: string; readonly sample: Json } {
  const rest: Record<string, Json> = { ...(isObject(summary.sample) ? summary.sample : {}) };
  const filled = fillPath(path, (name) => {
    const { [name]: value = 'text' } = rest;
    delete rest[name];
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  });
  return { path: filled, sample: rest };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function queryOf(sample: Json): string {
  const fields = Object.entries(isObject(sample) ? sample : {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields).toString()}`;
}

const reachable = (plans: PlanSet): ResourcePlan[] =>
  [...plans.byId.values()].filter((plan) => plan.reachable).sort((a, b) => (a.path < b.path ? -1 : 1));
