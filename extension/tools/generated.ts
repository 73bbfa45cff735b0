/** The extension's generated files as text, by path; a test compares them with the files on disk. */
import { join } from 'node:path';
import { DEFAULTS } from '../../language/analysis/config-schema.js';
import { GRAMMAR } from '../../language/analysis/grammar.js';
import { Slot } from '../../contract/slot.js';
import { builtIn } from './facts.js';
import { formatText } from './format.js';
import { grammarOf } from './grammar.js';
import { EXTENSION } from './places.js';

export async function generated(): Promise<ReadonlyMap<string, string>> {
  const registry = builtIn();
  const texts = new Map([
    ['syntaxes/lintel.tmLanguage.json', JSON.stringify(grammarOf(registry))],
    ['src/generated.ts', constants()],
  ]);
  const written = [...texts].map(async ([name, text]) => {
    const file = join(EXTENSION, name);
    return [name, await formatText(file, text)] as const;
  });
  return new Map(await Promise.all(written));
}

const constants = (): string =>
  [
    '/** Made from the specs by `npm run generate`; edits are lost. */',
    '',
    '/** Globs of definitions where the config names none. */',
    `export const DEFINITIONS: readonly string[] = ${JSON.stringify(DEFAULTS.definitions)};`,
    '',
    '/** Source of the expression that the path of a resource has to match. */',
    `export const RESOURCE_PATH = ${JSON.stringify(GRAMMAR[Slot.RESOURCE]?.fields['resource']?.bounds.pattern)};`,
  ].join('\n');
