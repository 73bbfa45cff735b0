/** Generates the reference page of the problem codes. */
import type { Registry } from '../analysis/registry.js';
import { pluginId } from '../../contract/plugin.js';
import type { CounterExample, PluginSpec } from '../../contract/plugin-spec.js';
import { getCertainty, type CodeEntry } from '../../contract/problem.js';
import { BOOT_CODES } from '../problems/boot-codes.js';
import type { FindProblem } from './example-check.js';
import { toAnchor, joinBlocks, formatCode, formatJsonBlock } from './markdown.js';

interface ShownExample {
  readonly spec: PluginSpec;
  readonly example: CounterExample;
}

export function createProblemPage(registry: Registry, findProblem: FindProblem): string {
  const all = Object.entries(registry.codes).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = groupExamples(registry);
  const isBoot = (name: string): boolean => Object.hasOwn(BOOT_CODES, name);
  const of = (keep: (name: string, entry: CodeEntry) => boolean): string[] =>
    all
      .filter(([name, entry]) => keep(name, entry))
      .map(([name, entry]) => createSection(name, entry, shown, findProblem));
  return joinBlocks(
    '# Problems',
    'Codes are stable; messages may change. A word in braces is replaced by the subject of the problem.',
    '## In definitions and in the config',
    'An error keeps a definition from being served; a warning does not. `certain`: it is so. `likely`: it is so unless the author means it, and says why in `acknowledge`. `advice`: nothing is wrong.',
    of((name, { severity }) => severity !== undefined && !isBoot(name)),
    '## In answers',
    'As `code` in a problem document (`application/problem+json`), with the status named here.',
    of((name, { status, severity }) => status !== undefined && severity === undefined && !isBoot(name)),
    '## At the start and on the command line',
    of(isBoot),
  );
}

function groupExamples(registry: Registry): ReadonlyMap<string, readonly ShownExample[]> {
  const found = new Map<string, ShownExample[]>();
  for (const spec of registry.plugins.values())
    for (const example of spec.counterExamples)
      found.set(example.code, [...(found.get(example.code) ?? []), { spec, example }]);
  return found;
}

function createSection(
  name: string,
  entry: CodeEntry,
  shown: ReadonlyMap<string, readonly ShownExample[]>,
  findProblem: FindProblem,
): string {
  const { severity, status, title, message, help } = entry;
  const sure = severity === undefined ? undefined : getCertainty(entry);
  const how = [severity, sure, status === undefined ? undefined : `status ${status}`].filter(
    (word) => word !== undefined,
  );
  return joinBlocks(
    `### ${formatCode(name)}`,
    `**${title}**${how.length === 0 ? '' : ` (${how.join(', ')})`}. ${message}`,
    help,
    createExample(shown.get(name)?.[0], findProblem),
  );
}

function createExample(shown: ShownExample | undefined, findProblem: FindProblem): string {
  if (shown === undefined) return '';
  const { spec, example } = shown;
  const found = findProblem(spec, example)?.message;
  const link = `[${pluginId(spec)}](kinds/${spec.kind}.md${toAnchor(spec.name)})`;
  const at = example.at === '' ? '' : `, at ${formatCode(example.at)}`;
  return joinBlocks(
    `For example in ${link}${at}${found === undefined ? '' : `: ${found}`}`,
    formatJsonBlock(example.json),
  );
}
