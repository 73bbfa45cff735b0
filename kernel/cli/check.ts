/** `lintel check` and `lintel audit`: the front end over the whole project. Nothing connects; only `--fix` writes. */
import { loadDefinitions, loadProject, type LoadedDefinitions, type Project } from '../runtime/project.js';
import type { Definition } from '../analysis/model.js';
import { asText } from '../contract/json.js';
import type { CommandOptions } from './commands.js';
import { certaintyOf, hasErrors, type Problem } from '../contract/problem.js';
import { rangeAt } from '../source/document.js';
import { memberOf } from '../source/tree.js';
import { fixDefinitions } from './fix.js';
import { paintFor } from './paint.js';
import { pretty, rows, sarif, withConfig } from './problems.js';
import type { Terminal } from './terminal.js';
import { versionOfPackage } from './version.js';

const FORMATS = ['pretty', 'json', 'sarif'];

export async function check(options: CommandOptions, terminal: Terminal): Promise<number> {
  const read = await readProject(options, terminal);
  if (read === null) return 2;
  const { project, loaded } = read;
  const changes = options.fix || options.fixAll;
  const again = changes && loaded !== null && (await fixDefinitions(project, options, terminal));
  const last = again === true ? await readProject(options, terminal) : read;
  const problems = last?.loaded?.problems ?? project.configProblems;
  show(problems, last ?? read, options, terminal);
  return hasErrors(problems) ? 1 : 0;
}

/** What the audit of the set says, without everything else that `check` does. */
export async function audit(options: CommandOptions, terminal: Terminal): Promise<number> {
  const read = await readProject(options, terminal);
  if (read === null) return 2;
  const { codes } = read.project.registry;
  const problems = (read.loaded?.problems ?? []).filter(({ code }) => /^(AUD|SEC)_/.test(code));
  const explained = problems.map((problem): Problem => {
    const entry = codes[problem.code];
    return entry === undefined
      ? problem
      : { ...problem, message: `${problem.message} (${certaintyOf(entry)}) ${entry.help}` };
  });
  show(explained, read, options, terminal);
  if (hasErrors(read.project.configProblems) || hasErrors(read.loaded?.problems ?? []))
    terminal.stderr.write('There are errors, so the audit may not have seen everything: see `lintel check`.\n');
  return problems.length > 0 ? 1 : 0;
}

/** Ids of resources and names of models, where a file holds several. */
function namesIn({ definitions }: LoadedDefinitions['analysis']): (problem: Problem) => string | null {
  const byFile = new Map<string, Definition[]>();
  for (const one of definitions) byFile.set(one.doc.file, [...(byFile.get(one.doc.file) ?? []), one]);
  return ({ file, range }) => {
    const all = byFile.get(file) ?? [];
    const found = all.find(({ doc, node }) => {
      const { start, end } = rangeAt(doc, node.start, node.end);
      return start.line <= range.start.line && end.line >= range.end.line;
    });
    if (found === undefined || all.length < 2) return null;
    return found.sort === 'model' ? found.name : asText(memberOf(found.node, 'id')?.value?.scalar) || null;
  };
}

interface ReadProject {
  readonly project: Project;
  readonly loaded: LoadedDefinitions | null;
}

async function readProject(
  { config, format = 'pretty' }: CommandOptions,
  terminal: Terminal,
): Promise<ReadProject | null> {
  const { cwd, env, stderr } = terminal;
  if (!FORMATS.includes(format)) {
    stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return null;
  }
  const project = await loadProject(cwd, config, env);
  return { project, loaded: project.config === null ? null : await loadDefinitions(project, project.config) };
}

function show(
  problems: readonly Problem[],
  { project, loaded }: ReadProject,
  { format = 'pretty' }: CommandOptions,
  terminal: Terminal,
): void {
  const { stdout, stderr } = terminal;
  const documents = withConfig(project, loaded?.analysis.documents);
  const text =
    format === 'json'
      ? rows(problems)
      : format === 'sarif'
        ? sarif(problems, project.registry.codes, versionOfPackage())
        : pretty(problems, documents, paintFor(terminal), {
            acknowledged: loaded?.analysis.acknowledged,
            nameOf: loaded === null ? undefined : namesIn(loaded.analysis),
          });
  stdout.write(`${text}\n`);
  if (project.config !== null && loaded?.analysis.documents.size === 0) {
    stderr.write(`No file matches ${project.config.definitions.join(', ')}.\n`);
  }
}
