/** `lintel check`: the front end over the whole project, and its statements on a database in this process. Nothing is written. */
import type { Config } from '../analysis/config.js';
import { createScratchAsking } from '../runtime/asking.js';
import { loadDefinitions, loadProject, type LoadedDefinitions, type Project } from '../runtime/project.js';
import type { CommandOptions } from './commands.js';
import { hasErrors } from '../contract/problem.js';
import { paintFor } from './paint.js';
import { pretty, rows, sarif, withConfig } from './problems.js';
import type { Terminal } from './terminal.js';
import { versionOfPackage } from './version.js';

const FORMATS = ['pretty', 'json', 'sarif'];

export async function check({ config, format = 'pretty' }: CommandOptions, terminal: Terminal): Promise<number> {
  const { cwd, env, stdout, stderr } = terminal;
  if (!FORMATS.includes(format)) {
    stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const project = await loadProject(cwd, config, env);
  const loaded = project.config === null ? null : await loadAsked(project, project.config);
  const problems = loaded?.problems ?? project.configProblems;
  const documents = withConfig(project, loaded?.analysis.documents);
  const text =
    format === 'json'
      ? rows(problems)
      : format === 'sarif'
        ? sarif(problems, project.registry.codes, versionOfPackage())
        : pretty(problems, documents, paintFor(terminal));
  stdout.write(`${text}\n`);
  if (project.config !== null && loaded?.analysis.documents.size === 0) {
    stderr.write(`No file matches ${project.config.definitions.join(', ')}.\n`);
  }
  return hasErrors(problems) ? 1 : 0;
}

async function loadAsked(project: Project, config: Config): Promise<LoadedDefinitions> {
  const asking = createScratchAsking(project, config);
  try {
    return await loadDefinitions(project, config, asking.ask);
  } finally {
    await asking.close();
  }
}
