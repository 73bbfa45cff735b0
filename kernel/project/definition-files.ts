/** The definition files of a project: which they are, and their texts. Decodes and names them; understands nothing of them. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SourceFile } from '../analysis/analyse.js';
import { fieldsInLanguage, type Registry } from '../analysis/registry.js';

/** Where they are looked for. */
export interface DefinitionPlaces {
  readonly folder: string;
  /** Never a definition, whatever the patterns say. */
  readonly configFile: string;
  readonly patterns: readonly string[];
}

/** Absolute names, in order. */
export async function findDefinitions({ folder, configFile, patterns }: DefinitionPlaces): Promise<string[]> {
  // An editor answers before it looks for files.
  const { glob } = await import('tinyglobby');
  const found = await glob([...patterns], { cwd: folder, absolute: true, dot: false, ignore: ['**/node_modules/**'] });
  return found
    .map((name) => resolve(name))
    .filter((name) => name !== configFile)
    .sort();
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads one file; `shown` is its name in problems. Null for a file that was there a moment ago: editors replace files by
 * renaming others over them.
 */
export async function readDefinition(name: string, shown: string): Promise<SourceFile | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? null : { file: shown, text: '', unreadable: code ?? 'it failed' };
  }
  try {
    return { file: shown, text: UTF8.decode(bytes) };
  } catch {
    return { file: shown, text: '', unreadable: 'it is not UTF-8 text' };
  }
}

/** Whether any of them may hold a statement, so that the parser for statements is worth loading. */
export function holdStatements(files: readonly SourceFile[], registry: Registry): boolean {
  const keys = fieldsInLanguage(registry, 'sql').map((name) => JSON.stringify(name));
  return files.some(({ text }) => keys.some((key) => text.includes(key)));
}
