/** Finds the definitions that contain errors. */
import { offsetInFile } from '../source/document.js';
import type { Definition } from './model.js';
import type { PendingProblem } from './report.js';

/** An error outside all definitions of a file invalidates each definition of the file. */
export function findInvalidDefinitions(
  definitions: readonly Definition[],
  rows: readonly PendingProblem[],
): Set<Definition> {
  const broken = new Set<Definition>();
  const errors = rows.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return broken;
  const byFile = new Map<string, Definition[]>(errors.map(({ spot }) => [spot.doc.file, []]));
  for (const definition of definitions) byFile.get(definition.doc.file)?.push(definition);
  for (const { spot } of errors) {
    const here = byFile.get(spot.doc.file) ?? [];
    const at = offsetInFile(spot.doc, spot.start);
    const around = here.filter(
      ({ doc, node }) => at >= offsetInFile(doc, node.start) && at <= offsetInFile(doc, node.end),
    );
    for (const definition of around.length > 0 ? around : here) broken.add(definition);
  }
  return broken;
}
