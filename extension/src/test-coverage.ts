/** Reads what `lintel test --coverage-file` writes as the coverage that the editor shows. */
import { DeclarationCoverage, FileCoverage, StatementCoverage, Uri, type FileCoverageDetail } from 'vscode';
import { toRange, type ProtocolRange } from './protocol-range.js';

interface CoveredPlace {
  readonly file: string;
  readonly resource: string;
  readonly sort: 'resource' | 'actionable' | 'refusal';
  readonly range: ProtocolRange;
  readonly hits: number;
}

export interface CoveredFile {
  readonly file: FileCoverage;
  readonly places: FileCoverageDetail[];
}

/** Resources are declarations; actionables and refusals are statements. */
export function readCoverage(folder: Uri, text: string): CoveredFile[] {
  const { places } = JSON.parse(text) as { readonly places: readonly CoveredPlace[] };
  return [...new Set(places.map(({ file }) => file))].map((name) => {
    const own = places.filter(({ file }) => file === name);
    const shown = own.map(({ sort, resource, hits, range }) =>
      // Marks of a whole resource would cover those inside it.
      sort === 'resource'
        ? new DeclarationCoverage(resource, hits, toRange({ start: range.start, end: range.start }))
        : new StatementCoverage(
            hits,
            sort === 'actionable' ? toRange({ start: range.start, end: range.start }) : toRange(range),
          ),
    );
    return { file: FileCoverage.fromDetails(Uri.joinPath(folder, name), shown), places: shown };
  });
}
