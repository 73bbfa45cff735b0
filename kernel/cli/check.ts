/**
 * `lintel check`: the front end over the whole project, and its statements read by a database: one in this process, or with
 * `--database` those of the config. Nothing is written, and no statement is run.
 */
import type { Config } from '../analysis/config.js';
import type { Problem } from '../contract/problem.js';
import { hasErrors } from '../contract/problem.js';
import { createScratchAsking } from '../runtime/asking.js';
import { createKernel } from '../runtime/kernel.js';
import { loadDefinitions, loadProject, type Project } from '../runtime/project.js';
import type { Document } from '../source/document.js';
import type { CommandOptions } from './commands.js';
import { createLog } from './log.js';
import { paintFor } from './paint.js';
import { pretty, rows, sarif, withConfig } from './problems.js';
import type { Terminal } from './terminal.js';
import { versionOfPackage } from './version.js';

const FORMATS = ['pretty', 'json', 'sarif'];

interface Checked {
  readonly problems: readonly Problem[];
  readonly documents: ReadonlyMap<string, Document>;
}

export async function check(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { config: file, format = 'pretty', database } = options;
  const { cwd, env, stdout, stderr } = terminal;
  if (!FORMATS.includes(format)) {
    stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const project = await loadProject(cwd, file, env);
  const { config } = project;
  const checked =
    config === null ? null : await (database ? checkStores(project, terminal) : checkAlone(project, config));
  const problems = checked?.problems ?? project.configProblems;
  const documents = withConfig(project, checked?.documents);
  const text =
    format === 'json'
      ? rows(problems)
      : format === 'sarif'
        ? sarif(problems, project.registry.codes, versionOfPackage())
        : pretty(problems, documents, paintFor(terminal));
  stdout.write(`${text}\n`);
  if (config !== null && checked?.documents.size === 0) {
    stderr.write(`No file matches ${config.definitions.join(', ')}.\n`);
  }
  return hasErrors(problems) ? 1 : 0;
}

async function checkAlone(project: Project, config: Config): Promise<Checked> {
  const asking = createScratchAsking(project, config);
  try {
    const { problems, analysis } = await loadDefinitions(project, config, asking.ask);
    return { problems, documents: analysis.documents };
  } finally {
    await asking.close();
  }
}

async function checkStores(project: Project, terminal: Terminal): Promise<Checked> {
  const log = await createLog(terminal);
  log.level = 'error';
  const kernel = await createKernel({ project, log, onProblem: 'skip', connect: 'stores', asks: 'stores' });
  try {
    const { steps } = await kernel.outline();
    const missing = [...new Set(steps.flatMap(({ change, table }) => (change === 'create table' ? [table] : [])))];
    if (missing.length > 0) {
      const tables = missing.join(', ');
      terminal.stderr.write(
        `Not made yet: ${tables}. Statements on these tables are read once \`lintel migrate\` has made them.\n`,
      );
    }
    return { problems: kernel.problems(), documents: kernel.analysis().documents };
  } finally {
    await kernel.close('done');
  }
}
