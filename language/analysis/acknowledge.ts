/** Applies `acknowledge` entries: each silences the warnings and hints of its code inside its holder. */
import { asText } from '../../contract/json.js';
import { findNearest } from '../source/suggest.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import type { Definition } from './model.js';
import { memoize } from './memoize.js';
import type { Registry } from './registry.js';
import type { Blocks } from './stage-cache.js';
import { createReport, formatHint, isInside, type PendingProblem, type Span, type SourceLocation } from './report.js';

export const ACKNOWLEDGE = 'acknowledge';

interface Entry {
  readonly code: string;
  readonly spot: SourceLocation;
  readonly definition: Definition;
  readonly holder: Span;
}

const listEntries = memoize((definition: Definition): readonly Entry[] => {
  const { sort, doc, node, acknowledge } = definition;
  const read = (list: LocatedNode | null | undefined, holder: LocatedNode): Entry[] =>
    (list?.items ?? []).flatMap((item) => {
      const code = findMember(item, 'code')?.value;
      if (code?.type !== 'string') return [];
      const spot = { doc, start: code.start, end: code.end };
      return [{ code: asText(code.scalar), spot, definition, holder }];
    });
  if (sort === 'model') return read(acknowledge, node);
  const actions = findMember(node, 'actionables')?.value?.items ?? [];
  return [node, ...actions].flatMap((holder) => read(findMember(holder, ACKNOWLEDGE)?.value, holder));
});

const listBlockEntries = memoize((block: readonly Definition[]): readonly Entry[] => block.flatMap(listEntries));

export interface AcknowledgementInput {
  readonly definitions: Blocks<Definition>;
  readonly rows: readonly PendingProblem[];
  readonly registry: Registry;
  /** Unused entries of these are not reported: warnings may be missing. */
  readonly broken: ReadonlySet<Definition>;
  /** False without the environment; unused entries are then not reported. */
  readonly isWhole: boolean;
}

/** `rows` includes the problems of the entries themselves. */
export function applyAcknowledgements(given: AcknowledgementInput): {
  readonly rows: readonly PendingProblem[];
  readonly silenced: readonly PendingProblem[];
} {
  const { definitions, rows, registry, broken, isWhole } = given;
  const entries = definitions.flatMap(listBlockEntries);
  if (entries.length === 0) return { rows, silenced: [] };
  const findEntries = (row: PendingProblem): Entry[] =>
    entries.filter((entry) => row.code === entry.code && isInsideEntry(entry, row.spot));
  const silenced = new Set(rows.filter((row) => row.severity !== 'error' && findEntries(row).length > 0));
  const used = new Set([...silenced].flatMap(findEntries));
  const own = createReport(registry.codes);
  for (const entry of entries) {
    const { code, spot, definition } = entry;
    const isError = registry.codes[code]?.severity === 'error';
    if (isError) own.add('ACK_ERROR', spot, { code });
    else if (!used.has(entry) && isWhole && !broken.has(definition))
      own.add('ACK_UNUSED', spot, { code, hint: formatHint(suggestWarning(registry, code)) });
  }
  return { rows: [...rows.filter((row) => !silenced.has(row)), ...own.rows], silenced: [...silenced] };
}

/** A model's name is outside its node. */
const isInsideEntry = ({ definition: { doc, nameSpot, sort }, holder }: Entry, spot: SourceLocation): boolean =>
  spot.doc === doc && (isInside(spot, holder) || (sort === 'model' && spot.start === nameSpot.start));

function suggestWarning({ codes }: Registry, code: string): string | undefined {
  if (codes[code] !== undefined) return undefined;
  return findNearest(
    code,
    Object.keys(codes).filter((one) => ['warning', 'hint'].includes(codes[one]?.severity ?? '')),
  );
}
