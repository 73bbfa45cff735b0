/** Test files in the editor's Test Explorer. The project's own `lintel test` runs them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Disposable,
  TestMessage,
  TestRunProfileKind,
  Location,
  Uri,
  tests,
  workspace,
  type CancellationToken,
  DeclarationCoverage,
  FileCoverage,
  type FileCoverageDetail,
  type TestController,
  type TestItem,
  type TestRun,
  type TestRunRequest,
  StatementCoverage,
} from 'vscode';
import type { Session } from './client.js';
import { toRange, type ProtocolRange } from './protocol-range.js';
import { fetchTests, type ListedTests } from './panels/server-requests.js';
import { NOT_STARTED_MESSAGES, debugLintel, runLintel } from './programs.js';

/** What `lintel test --reporter json` prints. */
interface Report {
  readonly cases: readonly ReportedCase[];
}

interface ReportedCase {
  readonly file: string;
  readonly group: string;
  readonly id: string;
  readonly outcome: 'passed' | 'failed';
  readonly milliseconds: number;
  readonly failures: readonly ReportedFailure[];
}

interface ReportedFailure {
  readonly message: string;
  readonly range: ProtocolRange;
  readonly exchange?: { readonly request: string; readonly expected: string; readonly actual: string };
}

interface ListedCase {
  readonly folder: string;
  readonly file: string;
  readonly group: string;
  readonly id: string;
}

export function showTests(session: Session): Disposable {
  const controller = tests.createTestController('lintel', 'Lintel');
  const listed = new Map<string, ListedCase>();
  const details = new WeakMap<FileCoverage, FileCoverageDetail[]>();
  let isListing = false;
  let isOutdated = false;

  async function refresh(): Promise<void> {
    isOutdated = true;
    if (isListing) return;
    isListing = true;
    while (isOutdated) {
      isOutdated = false;
      listTests(controller, listed, await fetchTests(session));
    }
    isListing = false;
  }

  const run = (request: TestRunRequest, token: CancellationToken, mode: Mode): Promise<void> =>
    runRequested({ controller, listed, details, mode }, request, token);
  controller.refreshHandler = refresh;
  controller.createRunProfile(
    'Run',
    TestRunProfileKind.Run,
    (request, token) => run(request, token, 'run'),
    true,
    undefined,
    true,
  );
  const coverage = controller.createRunProfile('Run with Coverage', TestRunProfileKind.Coverage, (request, token) =>
    run(request, token, 'coverage'),
  );
  controller.createRunProfile(
    'Debug',
    TestRunProfileKind.Debug,
    (request, token) => run(request, token, 'debug'),
    true,
  );
  coverage.loadDetailedCoverage = (_run, file) => Promise.resolve(details.get(file) ?? []);
  void refresh();
  return Disposable.from(
    controller,
    session.onDidChange(() => void refresh()),
  );
}

function listTests(controller: TestController, listed: Map<string, ListedCase>, groups: readonly ListedTests[]): void {
  listed.clear();
  const items = groups.map(({ folder, uri, file, id: group, range, cases }) => {
    const item = controller.createTestItem(`${folder} ${file}`, group || file, Uri.parse(uri));
    item.range = toRange(range);
    const children = cases.map(({ id, range: at }) => {
      const child = controller.createTestItem(`${item.id} ${id}`, id, item.uri);
      child.range = toRange(at);
      listed.set(child.id, { folder, file, group, id });
      return child;
    });
    item.children.replace(children);
    return item;
  });
  controller.items.replace(items);
}

type Mode = 'run' | 'debug' | 'coverage';

interface RunContext {
  readonly controller: TestController;
  readonly listed: ReadonlyMap<string, ListedCase>;
  readonly details: WeakMap<FileCoverage, FileCoverageDetail[]>;
  readonly mode: Mode;
}

async function runRequested(context: RunContext, request: TestRunRequest, token: CancellationToken): Promise<void> {
  await runOnce(context, request, token);
  if (request.continuous !== true) return;
  let running = Promise.resolve();
  const listener = workspace.onDidSaveTextDocument(({ fileName }) => {
    if (/\.jsonc?$/.test(fileName)) running = running.then(() => runOnce(context, request, token));
  });
  token.onCancellationRequested(() => void listener.dispose());
}

async function runOnce(context: RunContext, request: TestRunRequest, token: CancellationToken): Promise<void> {
  const { controller, listed } = context;
  const run = controller.createTestRun(request);
  const abort = new AbortController();
  const listener = token.onCancellationRequested(() => abort.abort());
  const chosen = collectCases(controller, request).filter(({ id }) => listed.has(id));
  const folders = new Set(chosen.map(({ id }) => listed.get(id)?.folder ?? ''));
  try {
    for (const folder of folders) {
      const own = chosen.filter(({ id }) => listed.get(id)?.folder === folder);
      await runFolder(context, { run, folder: Uri.parse(folder), items: own, signal: abort.signal });
    }
  } finally {
    listener.dispose();
    run.end();
  }
}

function collectCases(controller: TestController, { include, exclude }: TestRunRequest): TestItem[] {
  const left = new Set(exclude);
  const collectBelow = (item: TestItem): TestItem[] => {
    if (left.has(item)) return [];
    const children = [...item.children].map(([, child]) => child);
    return children.length === 0 ? [item] : children.flatMap(collectBelow);
  };
  return (include ?? [...controller.items].map(([, item]) => item)).flatMap(collectBelow);
}

interface FolderRun {
  readonly run: TestRun;
  readonly folder: Uri;
  readonly items: readonly TestItem[];
  readonly signal: AbortSignal;
}

async function runFolder({ listed, details, mode }: RunContext, folderRun: FolderRun): Promise<void> {
  const { run, folder, items, signal } = folderRun;
  const cases = items.flatMap((item) => listed.get(item.id) ?? []);
  const temporary = await mkdtemp(join(tmpdir(), 'lintel-coverage-'));
  const coverageFile = join(temporary, 'coverage.json');
  for (const item of items) run.started(item);
  try {
    const more = { run: [], debug: ['--debug'], coverage: ['--coverage-file', coverageFile] }[mode];
    const words = ['test', '--trust', '--reporter', 'json', ...createFilter(cases), ...more];
    const isDebugged = mode === 'debug';
    const output = await (isDebugged ? debugLintel(folder, words, signal, run) : runLintel(folder, words, signal));
    if (signal.aborted) return skipAll(folderRun);
    if (typeof output === 'string') return failAll(folderRun, NOT_STARTED_MESSAGES[output]);
    const report = readReport(output.stdout);
    if (report === null) return failAll(folderRun, `${output.stderr}${output.stdout}`.trim() || String(output.error));
    for (const item of items) reportCase(folderRun, item, findReported(report, listed.get(item.id)));
    if (mode !== 'coverage') return;
    for (const { file, places } of readCoverage(folder, await readFile(coverageFile, 'utf8'))) {
      details.set(file, places);
      run.addCoverage(file);
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** One case, or those of one file; otherwise all run, and only those chosen are shown. */
function createFilter(cases: readonly ListedCase[]): string[] {
  const [first] = cases;
  if (first === undefined) return [];
  if (cases.length === 1) return ['--filter', `${first.file} ${first.group} ${first.id}`];
  return cases.every(({ file }) => file === first.file) ? ['--filter', first.file] : [];
}

function readReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    // Errors of definitions are printed as text.
    return null;
  }
}

const findReported = ({ cases }: Report, wanted: ListedCase | undefined): ReportedCase | undefined =>
  cases.find(({ file, group, id }) => file === wanted?.file && group === wanted.group && id === wanted.id);

function reportCase({ run }: FolderRun, item: TestItem, reported: ReportedCase | undefined): void {
  if (reported === undefined) return run.skipped(item);
  const { group, id, outcome, milliseconds, failures } = reported;
  const title = `${outcome === 'passed' ? '✓' : '✗'} ${group}: ${id} (${milliseconds} ms)`;
  run.appendOutput([title, ...failures.map(({ message }) => `  ${message}`), ''].join('\r\n'));
  if (outcome === 'passed') return run.passed(item, milliseconds);
  const messages = failures.map(({ message, range, exchange }) => {
    const shown = new TestMessage(message);
    if (exchange !== undefined) {
      // The editor shows no message next to a diff.
      const heading = `${message}\n\n${exchange.request}\n\n`;
      shown.expectedOutput = heading + exchange.expected;
      shown.actualOutput = heading + exchange.actual;
    }
    if (item.uri !== undefined) shown.location = new Location(item.uri, toRange(range));
    return shown;
  });
  run.failed(item, messages, milliseconds);
}

function skipAll({ run, items }: FolderRun): void {
  for (const item of items) run.skipped(item);
}

function failAll({ run, items }: FolderRun, reason: string): void {
  for (const item of items) run.errored(item, new TestMessage(reason));
}

interface CoveredPlace {
  readonly file: string;
  readonly resource: string;
  readonly sort: 'resource' | 'actionable' | 'refusal' | 'branch';
  readonly range: ProtocolRange;
  readonly hits: number;
}

interface CoveredFile {
  readonly file: FileCoverage;
  readonly places: FileCoverageDetail[];
}

/** Resources are declarations; all others are statements. */
function readCoverage(folder: Uri, text: string): CoveredFile[] {
  const { places } = JSON.parse(text) as { readonly places: readonly CoveredPlace[] };
  return [...new Set(places.map(({ file }) => file))].map((name) => {
    const own = places.filter(({ file }) => file === name);
    const shown = own.map(({ sort, resource, hits, range }) =>
      // Marks of a whole resource would cover those inside it.
      sort === 'resource'
        ? new DeclarationCoverage(resource, hits, toRange({ start: range.start, end: range.start }))
        : new StatementCoverage(
            hits,
            sort === 'actionable' ? toRange({ start: range.start, end: range.start }) : toRange(range),
          ),
    );
    return { file: FileCoverage.fromDetails(Uri.joinPath(folder, name), shown), places: shown };
  });
}
