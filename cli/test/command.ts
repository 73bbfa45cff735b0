/** `lintel test`: runs the cases on a server in this process, one by one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Matcher } from '../../contract/matcher.js';
import { asText } from '../../contract/json.js';
import { hasErrors } from '../../contract/problem.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import { Slot } from '../../contract/slot.js';
import { loadDefinitions, type Project } from '../../language/project/project.js';
import { createAnalyser } from '../../language/analysis/analyse.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { showProblems } from '../boot.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject, UNTRUSTED } from '../trust.js';
import { writeText, readText } from '../files.js';
import { createTestDatabases, type TestDatabases } from './databases.js';
import { createCoverage, mergeItems, type CoveredItem } from './coverage.js';
import { COVERAGE_FILE, formatCoverageJson, formatLcov, printCoverage } from './coverage-report.js';
import { createTestDebugger, type TestDebugger } from './debugging.js';
import { asObject, asObjects, readGroup, type TestCase } from './definition.js';
import type { Matchers } from './match.js';
import type { CaseOutcome, SnapshotUpdate } from './outcome.js';
import { createTestIdentifiers } from './identifiers.js';
import { loadTestProject } from './project.js';
import { createRedactor } from './redact.js';
import { DEFAULT_REPORTER, explainUnknownReporter, startReport } from './report.js';
import { listCalls, runCase } from './run-case.js';
import { runMutants, type MutantResult } from './run-mutants.js';
import { startServices, type TestServices } from './services.js';
import { replaceTime, startStopwatch } from './time.js';
import { createDocument, getWhole, type Document } from '../../language/source/document.js';
import { replaceJson } from '../../language/source/replace-json.js';
import { startServer } from './server.js';
import { openTestStores } from './stores.js';
import { runOnChanges, selectAffected, type KnownTexts } from './watch.js';

export async function runTest(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { stderr } = terminal;
  const { reporter: wanted = DEFAULT_REPORTER } = options;
  for (const name of ['mutants', 'coverage'] as const) {
    if (!options[name] || wanted === DEFAULT_REPORTER) continue;
    stderr.write(`--${name} prints for readers, so it takes no other --reporter.\n`);
    return 2;
  }
  const other = (['watch', 'mutants'] as const).find((name) => options.update && options[name]);
  if (other !== undefined) {
    stderr.write(`--update writes test files once, so it takes no --${other}.\n`);
    return 2;
  }
  const undebugged = (['watch', 'mutants'] as const).find((name) => options.debug && options[name]);
  if (undebugged !== undefined) {
    stderr.write(`--debug runs each case once, so it takes no --${undebugged}.\n`);
    return 2;
  }
  const trusted = await loadTrustedProject('test', 'code', options, terminal);
  if (trusted === null) return UNTRUSTED;
  const unknown = explainUnknownReporter(trusted, options.reporter);
  if (unknown !== null) {
    stderr.write(`${unknown}\n`);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  try {
    const run: Run = { options, terminal, folder, known: new Map() };
    return await (options.watch ? runOnChanges(trusted, terminal, () => runAll(run)) : runAll(run));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly options: CommandOptions;
  readonly terminal: Terminal;
  readonly folder: string;
  /** Of the run before. */
  readonly known: KnownTexts;
}

async function runAll(run: Run): Promise<number> {
  const { options, terminal } = run;
  const { signals, exit } = terminal;
  const databases = options.database ? createTestDatabases() : null;
  const debug = options.debug ? createTestDebugger(terminal) : null;
  const dispose = (): Promise<unknown> => Promise.all([databases?.dropAll(), debug?.close()]);
  // `--watch` ends its last run first.
  const endEarly = (signal: NodeJS.Signals): void =>
    void dispose().finally(() => exit(signal === 'SIGINT' ? 130 : 143));
  const isKept = options.watch || (databases === null && debug === null);
  const ending = isKept ? [] : (['SIGINT', 'SIGTERM'] as const);
  for (const signal of ending) signals.on(signal, endEarly);
  try {
    return await runCases(run, databases, debug);
  } finally {
    for (const signal of ending) signals.off(signal, endEarly);
    await dispose();
  }
}

/** `databases`: null where every store is replaced by one in this process. */
async function runCases(run: Run, databases: TestDatabases | null, debug: TestDebugger | null): Promise<number> {
  const { options, terminal, folder } = run;
  const elapsed = startStopwatch();
  const load = (environment: Readonly<Record<string, string>>) =>
    loadTestProject(terminal, { config: options.config, folder, environment, databases });
  const { project, secrets, refusal } = await load({});
  if (refusal !== null) {
    terminal.stderr.write(`${refusal}\n`);
    return 2;
  }
  const analysis = await readAnalysis(project, terminal);
  if (analysis === null) return 1;
  const all = analysis.tests.flatMap((definition) => readGroup(definition).cases);
  const [place] = options.arguments;
  const ofPlace = place === undefined ? all : all.filter((test) => isIn(resolve(terminal.cwd, place), test, project));
  const cases = ofPlace.filter((test) => isWanted(test, options.filter));
  if (cases.length === 0) {
    const found = ofPlace.length === 0 ? `No test file is at ${place}.` : 'No case matches --filter.';
    const reason = all.length === 0 ? 'There is no test file: name one `*.test.json`.' : found;
    terminal.stderr.write(`${reason}\n`);
    return 2;
  }
  const overlay = new Map<string, string>();
  const setText = (file: string, text: string | null): void =>
    void (text === null ? overlay.delete(file) : overlay.set(file, text));
  const matchers = await loadMatchers(project);
  const redact = createRedactor(secrets);
  const wanted = options.coverage || options.mutants ? DEFAULT_REPORTER : options.reporter;
  const report = await startReport(project, wanted, terminal, redact);
  const update = options.update ? { hasSecret: (text: string) => redact(text) !== text } : null;
  const outcomes: CaseOutcome[] = [];
  const services = await startServices(listHosts(cases));
  const certificate = join(folder, 'services.pem');
  await writeFile(certificate, services.authority);
  const time = replaceTime();
  const identifiers = createTestIdentifiers();
  const isCovered = options.coverage || options.coverageFile !== undefined;
  const reached: CoveredItem[][] = [];
  let affected: ReadonlySet<TestCase> | null = null;
  const results = new Map<string, MutantResult>();
  const groups = [...groupByEnvironment(cases)];
  try {
    for (const [at, [environment, together]] of groups.entries()) {
      if (debug?.isOver() === true) break;
      const loaded =
        environment === '{}' ? project : (await load(JSON.parse(environment) as Record<string, string>)).project;
      // One for each server: nothing counts what earlier mutants have reached.
      const coverage = isCovered ? createCoverage() : null;
      const server = await startServer({
        project: {
          ...identifiers.replaceGenerators(standIn(loaded, services, certificate)),
          overlay,
          analyser: options.mutants ? createAnalyser(loaded.registry) : null,
        },
        services,
        identifiers,
        time,
        coverage,
        debug,
        queueOnServer: databases?.hasOtherTables() === true,
      });
      try {
        const stores = openTestStores(server.kernel);
        const chosen = (affected ??= new Set(
          selectAffected(cases, analysis, run.known, (test) => listCalls(server, test)),
        ));
        await debug?.stopRequests(server.kernel, time);
        for (const test of together.filter((one) => chosen.has(one))) {
          if (debug?.isOver() === true) break;
          const outcome = await runCase({ server, stores, matchers, update }, test);
          outcomes.push(outcome);
          report.reportCase(outcome);
        }
        await coverage?.settle();
        if (coverage !== null) reached.push(coverage.listItems(server.kernel));
        const isPassed = outcomes.every(({ failures }) => failures.length === 0);
        if (options.mutants && isPassed) {
          const isPart = cases.length < all.length;
          const context = { server, stores, matchers, update: null };
          const isLast = at === groups.length - 1;
          await runMutants({ ...context, cases: together, isPart, overlay: setText, results, isLast, terminal });
        }
      } finally {
        await server.close();
      }
    }
  } finally {
    time.restoreTime();
    await services.close();
  }
  report.finishReport(elapsed());
  const unrun = cases.length - outcomes.length;
  if (debug !== null && unrun > 0) {
    terminal.stderr.write(`The debugger has left, so ${unrun} case(s) were not run.\n`);
    return 1;
  }
  if (options.update) {
    const updates = outcomes.flatMap((outcome) => outcome.updates);
    const files = await writeSnapshots(project.cwd, updates);
    terminal.stderr.write(`Snapshots written: ${updates.length}, files changed: ${files.length}.\n`);
  }
  await reportCoverage(mergeItems(reached), options, project.folder, terminal);
  return outcomes.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

async function reportCoverage(
  items: readonly CoveredItem[],
  { coverage, coverageFile }: CommandOptions,
  folder: string,
  terminal: Terminal,
): Promise<void> {
  if (coverage) {
    printCoverage(items, terminal);
    await writeText(join(folder, COVERAGE_FILE), formatCoverageJson(items));
  }
  if (coverageFile === undefined) return;
  const file = resolve(terminal.cwd, coverageFile);
  await writeText(file, coverageFile.endsWith('.json') ? formatCoverageJson(items) : formatLcov(items));
}

/** Null: the definitions, tests or config have errors, which were printed. */
async function readAnalysis(project: Project, terminal: Terminal): Promise<Analysis | null> {
  const { config, configProblems } = project;
  const loaded = config && (await loadDefinitions(project, config));
  const problems = loaded?.problems ?? configProblems;
  if (loaded !== null && !hasErrors(problems)) return loaded.analysis;
  showProblems({ problems, analysis: loaded?.analysis ?? null }, project, terminal);
  terminal.stderr.write('\nNo case was run.\n');
  return null;
}

/** `place`: a file or a folder. */
const isIn = (place: string, { definition }: TestCase, { cwd }: Project): boolean => {
  const file = resolve(cwd, definition.doc.file);
  return file === place || file.startsWith(`${place}${sep}`);
};

const isWanted = ({ id, group, definition }: TestCase, filter: string | undefined): boolean =>
  filter === undefined || `${definition.doc.file} ${group} ${id}`.toLowerCase().includes(filter.toLowerCase());

/** Every outbound call goes to the stand-in, whatever its host. */
const standIn = (project: Project, { address }: TestServices, certificate: string): Project => ({
  ...project,
  config: project.config && {
    ...project.config,
    outbound: { ...project.config.outbound, stand_in: address, ca: certificate },
  },
});

/** The hosts for which the stand-in has a certificate. */
function listHosts(cases: readonly TestCase[]): string[] {
  const urls = cases.flatMap(({ given }) => asObjects(given['services']).map(({ url }) => asText(url)));
  return [...new Set(urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : [])))];
}

/** Variables are read when a server starts, so each environment has its own. */
function groupByEnvironment(cases: readonly TestCase[]): Map<string, TestCase[]> {
  const groups = new Map<string, TestCase[]>();
  for (const test of cases) {
    const key = JSON.stringify(asObject(test.given['environment']));
    groups.set(key, [...(groups.get(key) ?? []), test]);
  }
  return groups;
}

async function loadMatchers({ registry, runtimes }: Project): Promise<Matchers> {
  const kinds = registry.listKinds(Slot.MATCHER);
  const named = kinds.flatMap(({ kind }) => registry.names(kind).map((name) => [name, `${kind}:${name}`] as const));
  const loaded = named.map(async ([name, id]) => {
    const runtime = await runtimes.get(id)?.();
    return [name, runtime?.create?.({ id } as RuntimeContext) as Matcher] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** Returns the files that were changed. Rejects where one was changed since it was read. */
async function writeSnapshots(cwd: string, updates: readonly SnapshotUpdate[]): Promise<readonly string[]> {
  const texts = new Map<Document, string>();
  for (const { definition, pointer, value } of updates) {
    const { doc } = definition;
    const text = texts.get(doc) ?? doc.text;
    texts.set(doc, replaceJson(createDocument(doc.file, text), pointer, value));
  }
  const files = new Map<Document, Document[]>();
  for (const doc of texts.keys()) {
    const whole = getWhole(doc);
    files.set(whole, [...(files.get(whole) ?? []), doc]);
  }
  for (const [whole, docs] of files) {
    const path = resolve(cwd, whole.file);
    if ((await readText(path)) !== whole.text)
      throw new Error(`${whole.file} was changed while its cases ran; no snapshot was written into it`);
    // The last one first, so that the places of the others stay.
    const ordered = [...docs].sort((a, b) => getStart(b) - getStart(a));
    const text = ordered.reduce((rest, doc) => {
      const start = getStart(doc);
      return rest.slice(0, start) + (texts.get(doc) ?? doc.text) + rest.slice(start + doc.text.length);
    }, whole.text);
    await writeText(path, text);
  }
  return [...files.keys()].map(({ file }) => file);
}

const getStart = ({ within }: Document): number => (within === null ? 0 : within.start + getStart(within.doc));
