/** `lintel check --fix`: applies fixes to definition files, each file as a whole. Never changes the config. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createAnalyser } from '../language/analysis/analyse.js';
import { applyFixes } from '../language/analysis/apply-fix.js';
import { createAnalysisOptions, readDefinitions, type Project } from '../language/project/project.js';
import type { CommandOptions } from './options.js';
import { isConfirmed } from './confirm.js';
import type { Terminal } from './terminal.js';

/** Returns true if files were changed. */
export async function fixDefinitions(
  project: Project,
  { fixAll, yes }: CommandOptions,
  terminal: Terminal,
): Promise<boolean> {
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
