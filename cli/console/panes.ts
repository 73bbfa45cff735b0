/** The panes of the console besides requests and rows: what the kernel and its plugins know. */
import { join, resolve } from 'node:path';
import type { ConsolePane, Recorder } from '../../contract/console.js';
import type { Backlog } from '../../contract/deferred.js';
import { asText, type Json, type JsonObject } from '../../contract/json.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { readCron } from '../../language/strings/cron.js';
import { createTimetable } from '../../language/strings/cron-next.js';
import { createSecretMask, maskValue } from '../debug/secrets.js';
import { readText } from '../files.js';
import { listJobSteps, mergeJobs } from '../jobs.js';
import { COVERAGE_FILE } from '../test/coverage-report.js';
import { listTables } from './data.js';
import { formatSpot } from './requests.js';

export interface Pane extends ConsolePane {
  readonly id: string;
}

const MOST_JOBS = 200;
const NEXT_RUNS = 3;
/** Seconds. */
const MINUTE = 60;

export function listPanes(kernel: Kernel, recorder: Recorder, isDev: boolean): readonly Pane[] {
  const own: Pane[] = [
    { id: 'definitions', title: 'Definitions', read: () => readDefinitions(kernel, isDev) },
    { id: 'data', title: 'Data', read: () => readTables(kernel) },
    { id: 'jobs', title: 'Jobs', read: () => readJobs(kernel) },
    { id: 'schedules', title: 'Schedules', read: () => readSchedules(kernel) },
    { id: 'calls', title: 'Outbound calls', read: () => readCalls(recorder) },
    { id: 'metrics', title: 'Metrics', read: () => readMetrics(kernel, recorder) },
  ];
  const ofPlugins = kernel.instances.flatMap((instance): Pane[] => {
    const pane = instance.runtime.createConsolePane?.(instance.handle(), instance.context) ?? null;
    if (pane === null) return [];
    const read = async (): Promise<Json> => maskValue(await pane.read(), createSecretMask(kernel), []) as Json;
    return [{ ...pane, id: instance.key, read }];
  });
  const isOwn = ({ within }: Pane): boolean => within === undefined;
  return [...own, ...ofPlugins.filter(isOwn)].map((pane) =>
    joinSections(
      pane,
      ofPlugins.filter(({ within }) => within === pane.id),
    ),
  );
}

/** A pane with those that are sections of it. */
const joinSections = (pane: Pane, sections: readonly Pane[]): Pane =>
  sections.length === 0
    ? pane
    : {
        ...pane,
        async read() {
          const all = await Promise.all([pane, ...sections].map(async (one) => one.read()));
          return Object.assign({}, ...all) as Json;
        },
      };

interface CoverageReport {
  readonly places: readonly { readonly resource: string; readonly label: string; readonly hits: number }[];
}

/** Of the last `lintel test --coverage`; null where there is none. */
async function readCoverage({ project: { folder } }: Kernel): Promise<CoverageReport | null> {
  const text = await readText(join(folder, COVERAGE_FILE)).catch(() => null);
  try {
    const report = JSON.parse(text ?? 'null') as CoverageReport | null;
    return Array.isArray(report?.places) ? report : null;
  } catch {
    return null;
  }
}

async function readDefinitions(kernel: Kernel, isDev: boolean): Promise<Json> {
  const { byId } = kernel.plans();
  const coverage = await readCoverage(kernel);
  const { resources } = kernel.analysis();
  const problems = kernel.problems();
  return {
    resources: resources.map(({ id, definition }) => {
      const plan = byId.get(id);
      return {
        id,
        path: plan === undefined ? null : `/${plan.path}`,
        guard: plan?.summary.guard ?? null,
        touches: plan?.summary.touches.join(', ') ?? null,
        file: definition.doc.file,
        state: plan === undefined ? 'not served' : 'served',
        ...(coverage !== null && { 'reached by tests': formatCoverage(coverage, id) }),
      };
    }),
    problems: problems.slice(0, 500).map(({ severity, code, message, file, range }) => ({
      severity,
      code,
      message,
      place: formatSpot(kernel, { file: resolve(kernel.project.folder, file), range }, isDev),
    })),
  };
}

function formatCoverage({ places }: CoverageReport, id: string): string {
  const own = places.filter(({ resource }) => resource === id);
  return own.length === 0 ? '-' : `${own.filter(({ hits }) => hits > 0).length} of ${own.length}`;
}

/** The plan as `lintel plan` prints it; null where there is no such resource. */
export async function readDefinition(kernel: Kernel, id: string, isDev: boolean): Promise<Json> {
  const plan = kernel.plans().byId.get(id);
  const model = kernel.analysis().resources.find((one) => one.id === id);
  if (plan === undefined) return null;
  const { file } = plan;
  const start = model?.definition.node.start ?? 0;
  const text = model?.definition.doc.text.slice(0, start) ?? '';
  const position = { line: text.split('\n').length - 1, character: 0 };
  const spot = { file: resolve(kernel.project.folder, file), range: { start: position, end: position } };
  const places = (await readCoverage(kernel))?.places.filter(({ resource }) => resource === id) ?? null;
  const coverage = places && places.map(({ label, hits }) => ({ place: label, hits }));
  return { plan: plan.summary.describe, place: formatSpot(kernel, spot, isDev), coverage };
}

const readTables = (kernel: Kernel): Json => ({
  tables: listTables(kernel).map(({ table: { table, model, columns }, store }) => ({
    table,
    model,
    store,
    columns: columns.length,
  })),
});

async function readJobs(kernel: Kernel): Promise<Json> {
  const admins = kernel.listJobAdmins();
  const lists = await Promise.all(admins.map((admin) => admin.list({ limit: MOST_JOBS })));
  const backlog = admins.length === 0 ? null : await kernel.running.backlog();
  return {
    counts: describeBacklog(backlog),
    jobs: mergeJobs(lists, MOST_JOBS).map((job) => ({
      id: job.id,
      part: job.part,
      state: job.state,
      attempts: `${job.attempts} of ${job.retries + 1}`,
      accepted: new Date(job.acceptedAt).toISOString(),
      due: job.dueAt === null ? null : new Date(job.dueAt).toISOString(),
      failure: job.failure?.code ?? null,
    })),
  };
}

/** With the steps, without secrets. Null: there is none. */
export async function readJob(kernel: Kernel, id: string): Promise<Json> {
  for (const admin of kernel.listJobAdmins()) {
    const found = await admin.show(id);
    if (found === null) continue;
    const { view, work, notes } = found;
    const steps = listJobSteps(view, notes, kernel.plans().byId.get(view.resource)?.parts.get(view.part));
    const shown = { ...view, steps, payload: work.state.payload, claims: work.state.claims, names: work.state.names };
    return maskValue(shown, createSecretMask(kernel), []) as Json;
  }
  return null;
}

const MOST_CALLS = 200;

/** Also e-mails, which leave as calls of a service. The newest first. */
function readCalls(recorder: Recorder): Json {
  const calls = recorder.listCalls(MOST_CALLS).map(({ number, startedAt, key, sent, milliseconds, code }) => ({
    request: number,
    at: formatInstant(startedAt),
    actionable: key,
    call: `${asText(sent?.['method'])} ${asText(sent?.['url'])}`,
    ms: Math.round(milliseconds),
    code,
    body: sent?.['body'] ?? null,
  }));
  return { calls };
}

const formatInstant = (instant: number): string => new Date(instant).toISOString();

function readSchedules(kernel: Kernel): Json {
  const plans = [...kernel.plans().byId.values()];
  return {
    schedules: plans
      .flatMap(({ schedules }) => schedules)
      .map(({ key, expression, zone }) => ({
        key,
        expression,
        zone: zone ?? 'UTC',
        next: listNextRuns(expression, zone ?? 'UTC').join(', '),
      })),
  };
}

function describeBacklog(backlog: Backlog | null): JsonObject {
  const { oldest, ...counts } = backlog ?? {};
  return oldest === undefined ? {} : { ...counts, 'seconds that the oldest waits': Math.round(oldest) };
}

function listNextRuns(expression: string, zone: string): string[] {
  const { cron } = readCron(expression);
  if (cron === null) return [];
  const timetable = createTimetable(cron, zone);
  const runs: string[] = [];
  let after = Date.now();
  while (runs.length < NEXT_RUNS) {
    const next = timetable.next(after);
    if (next === null) break;
    runs.push(new Date(next).toISOString().replace('.000Z', 'Z'));
    after = next;
  }
  return runs;
}

async function readMetrics(kernel: Kernel, recorder: Recorder): Promise<Json> {
  const recent = recorder.countLastMinute();
  const backlog = await kernel.running.backlog();
  const health = await kernel.health();
  const codes = new Map<string, number>();
  for (const counts of recorder.counts.values())
    for (const [code, count] of counts.codes) codes.set(code, (codes.get(code) ?? 0) + count);
  return {
    process: {
      'requests in the last minute': recent,
      'requests per second': Math.round((recent / MINUTE) * 10) / 10,
      'recorded requests': recorder.list().length,
      'bytes of records': recorder.bytes,
    },
    resources: [...recorder.counts].map(([resource, { count, times, codes: failed }]) => ({
      resource,
      count,
      rejected: [...failed.values()].reduce((sum, one) => sum + one, 0),
      'p50 ms': findPercentile(times, 0.5),
      'p99 ms': findPercentile(times, 0.99),
    })),
    codes: [...codes].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count),
    queue: describeBacklog(backlog),
    stores: Object.entries(health).map(([store, { ok, detail }]) => ({ store, ok, detail: detail ?? null })),
  } satisfies JsonObject;
}

function findPercentile(times: readonly number[], share: number): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return found === undefined ? null : Math.round(found * 10) / 10;
}
