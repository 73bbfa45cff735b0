/** The table of endpoints that the start prints, and a curl line that works. */
import { isObject, type Json } from '../contract/json.js';
import type { PlanSet, ResourcePlan } from '../compile/plan.js';
import { paint } from './paint.js';

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

/** A call that passes the rules, in the first verb that has a body; with the query string where none has. */
export function curlLine(plans: PlanSet, url: string, methods: readonly string[]): string | null {
  const served = reachable(plans);
  // A path with parameters names something that exists already; one without is the better first call.
  const plain = served.filter(({ path }) => !PARAMETER.test(path));
  const plan = [...plain, ...served].find(({ summary }) => summary.validated.length > 0) ?? plain[0] ?? served[0];
  if (plan === undefined) return null;
  const { path, rest } = filledPath(plan);
  const address = `${url}/${path}`;
  const method = methods.find((name) => name !== 'GET' && name !== 'DELETE');
  if (method === undefined) return `curl -s -X ${methods[0] ?? 'GET'} ${quoted(`${address}${queryOf(rest)}`)}`;
  const body = quoted(JSON.stringify(rest));
  return `curl -s -X ${method} ${address} -H 'content-type: application/json' -d ${body}`;
}

const PARAMETER = /(?<=^|\/):([^/]+)/;

/** The sample with what belongs into the path put there. */
function filledPath({ path, summary }: ResourcePlan): { path: string; rest: Json } {
  const { sample } = summary;
  const values = isObject(sample) ? sample : {};
  const taken = new Set<string>();
  const filled = path.replace(new RegExp(PARAMETER, 'g'), (_, name: string) => {
    taken.add(name);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? encodeURIComponent(value) : name;
  });
  if (taken.size === 0) return { path, rest: sample };
  return { path: filled, rest: Object.fromEntries(Object.entries(values).filter(([name]) => !taken.has(name))) };
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
