/**
 * `lintel check` and `lintel audit`. Parses statements in-process, or with the config's databases (`--database`).
 * Only `--fix` writes, and only `--trust` runs project code.
 */
import type { Config } from '../language/analysis/config.js';
import { getCertainty, hasErrors, type Problem } from '../contract/problem.js';
import { createScratchChecker, type StatementChecker } from '../language/project/statement-checks.js';
import { join, resolve } from 'node:path';
import { delayOptimization } from '../language/project/code-tiering.js';
import { createScratchProcess } from '../language/project/scratch-process.js';
import { findMissingPackages } from '../language/project/missing-packages.js';
import { openScratchHere } from '../language/project/store-checks.js';
import { createKernel } from '../kernel/runtime/kernel.js';
import { loadProject, isBuiltin } from '../plugins/distribution.js';
import { loadDefinitions, type Project, readDefinitions, createAnalysisOptions } from '../language/project/project.js';
import { asText } from '../contract/json.js';
import { rangeAt } from '../language/source/document.js';
import { findMember } from '../language/source/tree.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { Definition } from '../language/analysis/model.js';
import type { CommandOptions } from './options.js';
import { createAnalyser } from '../language/analysis/analyse.js';
import { applyFixes } from '../language/analysis/apply-fix.js';
import { isConfirmed } from './confirm.js';
import { writeFile } from 'node:fs/promises';
import { createLog } from './log.js';
import { createPaint } from './colors.js';
import { formatProblems, formatProblemsJson, formatSarif, addConfigDocument } from './problems.js';
import { listSettingProblems } from './setting-problems.js';
import type { Terminal } from './terminal.js';
import { formatTransactions } from './transactions.js';
import { readPackageFile, findPackageFolder, SCRATCH_WORKER } from '../language/project/package-folder.js';
import { outlineMigration } from '../language/project/store-changes.js';

const FORMATS = ['pretty', 'json', 'sarif'];

interface Checked {
  readonly problems: readonly Problem[];
  readonly analysis: Analysis;
}

/** `checked` is null if the config cannot be read. */
interface CheckedProject {
  readonly project: Project;
  readonly checked: Checked | null;
}

type CheckDefinitions = (project: Project, config: Config) => Promise<Checked>;

export async function runCheck(options: CommandOptions, terminal: Terminal): Promise<number> {
  const checkDefinitions: CheckDefinitions = options.database
    ? (project) => checkOnServers(project, terminal)
    : checkOnScratch;
  const read = await readProject(options, terminal, checkDefinitions);
  if (read === null) return 2;
  const fixes = (options.fix || options.fixAll) && read.checked !== null;
  const isChanged = fixes && (await fixDefinitions(read.project, options, terminal));
  const last = isChanged ? ((await readProject(options, terminal, checkDefinitions)) ?? read) : read;
  const problems = last.checked?.problems ?? last.project.configProblems;
  printProblems(problems, last, options, terminal);
  if (options.transactions && last.checked !== null && !hasErrors(last.project.configProblems))
    terminal.stdout.write(`\n${await formatTransactions(last.project, terminal, createPaint(terminal))}\n`);
  return reportUnrunPlugins(last.project, terminal) || hasErrors(problems) ? 1 : 0;
}

/** Reports only the audit findings (`AUD_*`, `SEC_*`). */
export async function runAudit(options: CommandOptions, terminal: Terminal): Promise<number> {
  const read = await readProject(options, terminal, loadDefinitions);
  if (read === null) return 2;
  const { codes } = read.project.registry;
  const all = read.checked?.problems ?? [];
  const problems = all.filter(({ code }) => /^(AUD|SEC)_/.test(code));
  const explained = problems.map((problem): Problem => {
    const entry = codes[problem.code];
    return entry === undefined
      ? problem
      : { ...problem, message: `${problem.message} (${getCertainty(entry)}) ${entry.help}` };
  });
  printProblems(explained, read, options, terminal);
  if (hasErrors(read.project.configProblems) || hasErrors(all))
    terminal.stderr.write('There are errors, so the audit may be incomplete: see `lintel check`.\n');
  return reportUnrunPlugins(read.project, terminal) || problems.length > 0 ? 1 : 0;
}

/** Reports unchecked plugins with code that does not run. True if plugins were not loaded. */
function reportUnrunPlugins({ unrun }: Project, { stderr }: Terminal): boolean {
  if (unrun === null) return false;
  const { unread, unchecked } = unrun;
  const advice = '`--trust` runs the code of these plugins; use it only for projects that you trust';
  for (const [name, what] of unread)
    stderr.write(`Not checked: fields of the plugins in ${name} (${what}); ${advice}.\n`);
  if (unchecked.length > 0) stderr.write(`Not checked: rules in code of ${unchecked.join(', ')}; ${advice}.\n`);
  return unread.size > 0;
}

/** Why an option needs project code, or null. */
function findTrustRequirement(
  { unrun }: Project,
  { database, transactions, fix, fixAll }: CommandOptions,
): string | null {
  if (unrun === null) return null;
  const named = `the config names plugins in ${unrun.folders.join(', ')}`;
  for (const [option, is] of [
    ['--database', database],
    ['--transactions', transactions],
  ] as const)
    if (is) return `${option} runs plugins, so it needs --trust: ${named}.`;
  // A name that is unknown here may belong to a plugin that was not loaded.
  if ((fix || fixAll) && unrun.unread.size > 0)
    return `--fix needs --trust: ${named}, and ${[...unrun.unread.values()].join('; ')}.`;
  return null;
}

/** The resource id or model name around a problem, for files with several definitions. */
function createNameFinder({ definitions }: Analysis): (problem: Problem) => string | null {
  const byFile = new Map<string, Definition[]>();
  for (const one of definitions) byFile.set(one.doc.file, [...(byFile.get(one.doc.file) ?? []), one]);
  return ({ file, range }) => {
    const all = byFile.get(file) ?? [];
    const found = all.find(({ doc, node }) => {
      const { start, end } = rangeAt(doc, node.start, node.end);
      return start.line <= range.start.line && end.line >= range.end.line;
    });
    if (found === undefined || all.length < 2) return null;
    return found.sort === 'model' ? found.name : asText(findMember(found.node, 'id')?.value?.scalar) || null;
  };
}

async function readProject(
  options: CommandOptions,
  { cwd, env, stderr }: Terminal,
  checkDefinitions: CheckDefinitions,
): Promise<CheckedProject | null> {
  const { config: file, format = 'pretty', trust } = options;
  if (!FORMATS.includes(format)) {
    stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return null;
  }
  const project = { ...(await loadProject(cwd, file, env, false, trust)), tests: true };
  const refused = findTrustRequirement(project, options);
  if (refused !== null) {
    stderr.write(`${refused}\n`);
    return null;
  }
  const { config } = project;
  const checked = config === null ? null : await delayOptimization(() => checkDefinitions(project, config));
  return { project, checked };
}

function printProblems(
  problems: readonly Problem[],
  { project, checked }: CheckedProject,
  { format = 'pretty' }: CommandOptions,
  terminal: Terminal,
): void {
  const { stdout, stderr } = terminal;
  const documents = addConfigDocument(project, checked?.analysis.documents);
  const text =
    format === 'json'
      ? formatProblemsJson(problems)
      : format === 'sarif'
        ? formatSarif(problems, project.registry.codes, readPackageFile().version)
        : formatProblems(problems, documents, createPaint(terminal), {
            acknowledged: checked?.analysis.acknowledged,
            nameOf: checked === null ? undefined : createNameFinder(checked.analysis),
          });
  stdout.write(`${text}\n`);
  if (project.config !== null && checked?.analysis.documents.size === 0) {
    stderr.write(`No file matches ${project.config.definitions.join(', ')}.\n`);
  }
}

export async function checkOnScratch(project: Project, config: Config): Promise<Checked> {
  const asking = createSeparateChecker(project, config);
  let rejected: readonly Problem[] = [];
  try {
    const loaded = await loadDefinitions(
      project,
      config,
      async (analysis) => {
        // The database is asked in another process.
        const settings = listSettingProblems(project, analysis);
        const [rejections, found] = await Promise.all([asking.check(analysis), settings]);
        rejected = found;
        return rejections;
      },
      () => asking.openStores(),
    );
    return { problems: [...loaded.problems, ...rejected], analysis: loaded.analysis };
  } finally {
    await asking.close();
  }
}

async function checkOnServers(project: Project, terminal: Terminal): Promise<Checked> {
  const log = await createLog(terminal);
  log.level = 'error';
  const kernel = await createKernel({ project, log, onProblem: 'skip', connect: 'stores', statementChecks: 'stores' });
  try {
    const { steps } = await outlineMigration(kernel.schemas());
    const missing = [...new Set(steps.flatMap(({ change, table }) => (change === 'create table' ? [table] : [])))];
    if (missing.length > 0) {
      const tables = missing.join(', ');
      terminal.stderr.write(
        `Not created yet: ${tables}. Statements on these tables are checked after \`lintel migrate\`.\n`,
      );
    }
    return { problems: kernel.problems(), analysis: kernel.analysis() };
  } finally {
    await kernel.close('done');
  }
}

/** Returns true if files were changed. */
async function fixDefinitions(project: Project, { fixAll, yes }: CommandOptions, terminal: Terminal): Promise<boolean> {
  const { config, registry } = project;
  if (config === null) return false;
  const files = await readDefinitions(project, config);
  const options = await createAnalysisOptions(project, config, files);
  const analyser = createAnalyser(registry);
  const fixed = applyFixes(files, (all) => analyser.analyseAll(all, options).problems, fixAll);
  const changed = fixed.files.filter((source, i) => source.text !== files[i]?.text);
  const { stderr } = terminal;
  for (const { file, range, fix } of fixed.applied)
    stderr.write(`${file}:${range.start.line + 1}:${range.start.character + 1} ${fix?.title ?? ''}\n`);
  const guessed = fixed.applied.some(({ fix }) => fix?.asks === true);
  const question = `Write these changes to ${changed.length} files?`;
  if (guessed && !(await isConfirmed(terminal, question, yes, 'Some are a guess.'))) return false;
  for (const { file, text } of changed) await writeFile(resolve(project.cwd, file), text);
  stderr.write(`Fixes applied: ${fixed.applied.length}, files changed: ${changed.length}.\n`);
  return changed.length > 0;
}

/** In a process apart, which opens its store meanwhile. Plugins of the project open theirs here. */
function createSeparateChecker(project: Project, { chosen }: Pick<Config, 'chosen'>): StatementChecker {
  const { registry, runtimes, folder } = project;
  const worker = join(findPackageFolder(import.meta.url), SCRATCH_WORKER);
  let ended: string | null = null;
  const apart = createScratchProcess({ worker, folder, isPatient: false, onEnd: (what) => (ended = what) });
  const own = createScratchChecker({
    registry,
    folder,
    chosen: () => chosen,
    openScratch: async (id) =>
      isBuiltin(id) && findMissingPackages(registry, id).length === 0
        ? apart.openScratch(id)
        : openScratchHere(registry, runtimes, id),
  });
  return {
    openStores: own.openStores,
    async check(analysis) {
      try {
        return await own.check(analysis);
      } catch (error) {
        if (ended === null) throw error;
        throw new Error(`the process that checks statements has ended: ${ended}`, { cause: error });
      }
    },
    async close() {
      await own.close();
      apart.close();
    },
  };
}
