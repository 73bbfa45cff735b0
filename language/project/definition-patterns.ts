/** Checks the patterns of `definitions` against the files. */
import { resolve, sep } from 'node:path';
import type { Problem } from '../../contract/problem.js';
import type { Registry } from '../analysis/registry.js';
import { createReport, toProblems } from '../analysis/report.js';
import type { Document } from '../source/document.js';
import { findMember } from '../source/tree.js';
import { parseSource } from '../source/parse.js';
import { getFixedPart } from './definition-files.js';

export interface PatternPlaces {
  readonly cwd: string;
  readonly folder: string;
  readonly configDocument: Document;
  readonly registry: Registry;
}

/** Reports patterns without any definition; one of several endings may be unused. `names`: absolute, or as in messages. */
export function checkPatterns(
  { cwd, folder, configDocument: doc, registry }: PatternPlaces,
  names: readonly string[],
): readonly Problem[] {
  const { root } = parseSource(doc);
  const written = root === null ? null : findMember(root, 'definitions')?.value;
  const patterns = written?.type === 'array' ? written.items : [written ?? []].flat();
  const report = createReport(registry.codes);
  for (const { type, scalar, start, end } of patterns) {
    const pattern = String(scalar);
    if (type !== 'string' || pattern.startsWith('!')) continue;
    const base = resolve(folder, getFixedPart(pattern));
    if (!names.some((name) => resolve(cwd, name).startsWith(`${base}${sep}`)))
      report.add('CFG_NO_FILE', { doc, start, end }, { pattern });
  }
  return toProblems(report);
}
