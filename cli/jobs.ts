/** `lintel jobs`: administers the queues. Opens only the plugins that store jobs. */
import type { JobAdmin, JobFilter, JobView, Note } from '../contract/deferred.js';
import { Fault } from '../contract/fault.js';
import { describeFailure } from '../language/project/plugin-failures.js';
import { findNearest } from '../language/source/suggest.js';
import { bootProject } from './boot.js';
import type { CommandOptions } from './options.js';
import { createLog } from './log.js';
import type { StyleText } from '../language/source/code-frame.js';
import { alignColumns } from './columns.js';
import type { PartPlan, PlanSet } from '../contract/resource-plan.js';
import { isNote } from '../contract/stored-jobs.js';
import { createPaint } from './colors.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

const FORMATS = ['pretty', 'json'];
const STATES: readonly JobView['state'][] = ['waiting', 'running', 'dead'];
const LIMIT = 100;
/** Dead jobs per retry batch. */
const BATCH = 500;

interface JobCommandContext {
  readonly id: string | undefined;
  readonly options: CommandOptions;
  readonly plans: PlanSet;
  readonly terminal: Terminal;
}
type Action = (admins: readonly JobAdmin[], context: JobCommandContext) => Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = { list: listJobs, show: showJob, retry: retryJobs, purge: purgeJobs };

export async function runJobs(options: CommandOptions, terminal: Terminal): Promise<number> {
  const [name = 'list', id] = options.arguments;
  const mistake = findArgumentMistake(options);
  if (mistake !== null) return failWith(mistake, 2, terminal);
  const action = ACTIONS[name] ?? listJobs;
  const log = await createLog(terminal);
  // Results are printed here, so the log is limited to errors.
  log.level = 'error';
  const project = await loadTrustedProject('jobs', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const booted = await bootProject(terminal, project, { log, connect: 'jobs', onProblem: 'skip' });
  if (booted === null) return 1;
  const { kernel } = booted;
  try {
    const admins = kernel.listJobAdmins();
    if (admins.length === 0) {
      return failWith('No definition uses a queue.', 1, terminal);
    }
    return await action(admins, { id, options, plans: kernel.plans(), terminal });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return failWith(`The queue cannot be read: ${describeFailure(error, kernel.project.registry.codes)}`, 1, terminal);
  } finally {
    await kernel.close('done');
  }
}

async function listJobs(admins: readonly JobAdmin[], { options, terminal }: JobCommandContext): Promise<number> {
  const limit = Number(options.limit ?? LIMIT);
  const state = STATES.find((one) => one === options.state);
  const filter: JobFilter = { limit, ...(state && { state }), ...(options.resource && { resource: options.resource }) };
  const rows = mergeJobs(await Promise.all(admins.map((admin) => admin.list(filter))), limit);
  const text =
    options.format === 'json'
      ? escapeControl(JSON.stringify(rows, null, 2))
      : formatJobTable(rows, limit, createPaint(terminal));
  terminal.stdout.write(`${text}\n`);
  return 0;
}

/** The oldest of all queues; each sorts its own. */
export const mergeJobs = (lists: readonly (readonly JobView[])[], limit: number): JobView[] =>
  lists
    .flat()
    .sort((one, other) => one.acceptedAt - other.acceptedAt)
    .slice(0, limit);

async function showJob(admins: readonly JobAdmin[], { id = '', plans, terminal }: JobCommandContext): Promise<number> {
  for (const admin of admins) {
    const found = await admin.show(id);
    if (found === null) continue;
    const { view, work, notes } = found;
    const steps = listJobSteps(view, notes, plans.byId.get(view.resource)?.parts.get(view.part));
    terminal.stdout.write(`${escapeControl(JSON.stringify({ ...view, ...(steps && { steps }), work }, null, 2))}\n`);
    return 0;
  }
  return failWith(`There is no job "${id}".`, 1, terminal);
}

async function retryJobs(admins: readonly JobAdmin[], context: JobCommandContext): Promise<number> {
  const { id, terminal } = context;
  if (id === undefined) {
    let count = 0;
    for (const admin of admins) count += await retryAll(admin);
    return printCount(count, 'retried', context);
  }
  for (const admin of admins) if (await admin.retry(id)) return printCount(1, 'retried', context);
  return failWith(`There is no dead job "${id}"; only dead jobs can be retried.`, 1, terminal);
}

async function retryAll(admin: JobAdmin): Promise<number> {
  for (let count = 0; ;) {
    const dead = await admin.list({ state: 'dead', limit: BATCH });
    const before = count;
    for (const { id } of dead) if (await admin.retry(id)) count += 1;
    // Another process may have taken the jobs; without progress the loop would not end.
    if (count === before) return count;
  }
}

async function purgeJobs(admins: readonly JobAdmin[], context: JobCommandContext): Promise<number> {
  const { id, terminal } = context;
  let count = 0;
  for (const admin of admins) count += await admin.purge(id === undefined ? { dead: true } : { id });
  if (id !== undefined && count === 0) return failWith(`There is no job "${id}" that is not running.`, 1, terminal);
  return printCount(count, 'removed', context);
}

function formatJobTable(rows: readonly JobView[], limit: number, paint: StyleText): string {
  if (rows.length === 0) return 'no jobs';
  const cells = rows.map((row) => [
    row.id,
    row.part.startsWith(`${row.resource}#`) ? row.part : `${row.resource} (${row.part})`,
    row.state,
    `${row.attempts}/${row.retries + 1}`,
    formatInstant(row),
    row.failure?.code ?? '-',
  ]);
  const shown = cells.map((row) => row.map((cell) => escapeControl(cell).replaceAll('\n', '\\u000a')));
  const head = ['id', 'actionable', 'state', 'attempts', 'due or failed at', 'code'];
  const more = rows.length === limit ? `\nthe oldest ${limit}; --limit shows more` : '';
  return `${alignColumns(head, shown, paint)}${more}`;
}

function formatInstant({ state, dueAt, failure }: JobView): string {
  const at = state === 'dead' ? failure?.at : dueAt;
  return at === null || at === undefined ? '-' : new Date(at).toISOString();
}

function printCount(count: number, what: string, { options: { format }, terminal }: JobCommandContext): number {
  terminal.stdout.write(format === 'json' ? `${JSON.stringify({ count })}\n` : `${count} ${what}\n`);
  return 0;
}

/** Returns a message about invalid arguments, or null. */
export function findArgumentMistake(options: CommandOptions): string | null {
  const [name = 'list', id] = options.arguments;
  const { format = 'pretty', state, limit, all, dead, resource } = options;
  if (!Object.hasOwn(ACTIONS, name)) return formatUnknownAction(name);
  if (!FORMATS.includes(format)) return `--format takes ${FORMATS.join(', ')}; not "${format}".`;
  if (state !== undefined && !STATES.some((one) => one === state))
    return `--state takes ${STATES.join(', ')}; not "${state}".`;
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) return `--limit takes a whole number; not "${limit}".`;
  const chooses = state !== undefined || limit !== undefined || resource !== undefined;
  if (chooses && name !== 'list') return 'Only `lintel jobs list` takes --state, --resource and --limit.';
  if (name === 'list')
    return id === undefined ? null : `Unexpected argument "${id}". Did you mean \`lintel jobs show ${id}\`?`;
  if (name === 'show')
    return id === undefined ? '`lintel jobs show` needs an id; `lintel jobs list` shows the ids.' : null;
  const [flag, isSet] = name === 'retry' ? ['--all', all] : ['--dead', dead];
  return (id === undefined) === isSet ? null : `\`lintel jobs ${name}\` takes either an id or ${flag}.`;
}

function formatUnknownAction(name: string): string {
  const near = findNearest(name, Object.keys(ACTIONS));
  const known = Object.keys(ACTIONS).join(', ');
  return `\`lintel jobs\` takes ${known}; not "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

function failWith(text: string, code: number, { stderr }: Terminal): number {
  stderr.write(`${text}\n`);
  return code;
}

/** Control characters except line feeds, and Unicode bidirectional controls. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON text remains equivalent JSON. */
const escapeControl = (text: string): string =>
  text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

interface StepView {
  readonly actions: readonly string[];
  readonly state: 'done' | 'failed' | 'running' | 'waiting';
  readonly at?: string;
  readonly milliseconds?: number;
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Null for a job with a single step or without a definition. `notes`: as stored. */
export function listJobSteps(
  { state, failure }: JobView,
  notes: readonly unknown[] = [],
  part: PartPlan | undefined,
): readonly StepView[] | null {
  const stages = part?.work.stages ?? null;
  if (stages === null) return null;
  const done = new Map(notes.filter(isNote).flatMap((note) => note.actions.map((key) => [key, note] as const)));
  const steps = stages.map((stage) => stage.map((keys) => ({ keys, note: findNote(keys, done) })));
  const next = steps.findIndex((stage) => stage.some(({ note }) => note === null));
  const isOver = [...done.values()].some(({ ends }) => ends === true);
  return steps.flatMap((stage, at) =>
    stage.map(({ keys: actions, note }): StepView => {
      if (note !== null)
        return { actions, state: 'done', at: new Date(note.at).toISOString(), milliseconds: note.took };
      if (at !== next || isOver) return { actions, state: 'waiting' };
      if (state === 'running') return { actions, state: 'running' };
      if (failure === null) return { actions, state: 'waiting' };
      const { code, detail, at: instant } = failure;
      return { actions, state: 'failed', at: new Date(instant).toISOString(), error: { code, detail } };
    }),
  );
}

function findNote(keys: readonly string[], done: ReadonlyMap<string, Note>): Note | null {
  const notes = keys.map((key) => done.get(key));
  return notes.every((note) => note !== undefined) ? (notes.at(-1) ?? null) : null;
}
