/** `lintel check`: the front end over the whole project. Nothing connects, nothing is written. */
import { loadDefinitions, loadProject } from '../runtime/project.js';
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
  const loaded = project.config === null ? null : await loadDefinitions(project, project.config);
  const problems = loaded?.problems ?? project.configProblems;
  const documents = withConfig(project, loaded?.analysis.documents);
  const text =
    format === 'json'
      ? rows(problems)
      : format === 'sarif'
        ? sarif(problems, project.registry.codes, versionOfPackage())
        : pretty(problems, documents, paintFor(terminal), loaded?.analysis.acknowledged);
  stdout.write(`${text}\n`);
  if (project.config !== null && loaded?.analysis.documents.size === 0) {
    stderr.write(`No file matches ${project.config.definitions.join(', ')}.\n`);
  }
  return hasErrors(problems) ? 1 : 0;
}
