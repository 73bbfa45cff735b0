/** `lintel check`: the front end over the whole project. Nothing connects, nothing is written. */
import { loadDefinitions, loadProject } from '../runtime/project.js';
import type { CommandOptions } from '../cli.js';
import type { Document } from '../source/document.js';
import type { Problem } from '../contract/problem.js';
import { hasErrors } from '../runtime/kernel.js';
import { pretty, rows, sarif } from './problems.js';
import { versionOfPackage } from './version.js';

const FORMATS = ['pretty', 'json', 'sarif'];

export async function check({ config, format = 'pretty' }: CommandOptions): Promise<number> {
  if (!FORMATS.includes(format)) {
    process.stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const project = await loadProject(process.cwd(), config, process.env);
  const documents = new Map<string, Document>([[project.configDocument.file, project.configDocument]]);
  let problems: readonly Problem[] = project.configProblems;
  if (project.config !== null) {
    const loaded = await loadDefinitions(project, project.config);
    ({ problems } = loaded);
    loaded.analysis.documents.forEach((doc, file) => documents.set(file, doc));
  }
  const text =
    format === 'json'
      ? rows(problems)
      : format === 'sarif'
        ? sarif(problems, project.registry.codes, versionOfPackage())
        : pretty(problems, documents);
  process.stdout.write(`${text}\n`);
  if (project.config !== null && documents.size === 1) {
    process.stderr.write(`No file matches ${project.config.definitions.join(', ')}.\n`);
  }
  return hasErrors(problems) ? 1 : 0;
}
