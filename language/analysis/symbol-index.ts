/** An index of all names with their uses, for editors. */
import type { Analysis } from './analysis.js';
import {
  createSymbolKey,
  toRange,
  type SymbolIndex,
  type SymbolId,
  type Occurrence,
  type SymbolCollector,
  type SymbolMatch,
  type NamedSymbol,
} from './symbols.js';
import type { Registry } from './registry.js';
import { rangeAt } from '../source/document.js';
import { collectModels, modelId, listNameNodes, fieldId } from './symbols/models.js';
import { collectResources } from './symbols/resources.js';
import { collectSharedNames } from './symbols/shared-names.js';
import { collectTests } from './symbols/tests.js';
import { getLookup } from './symbols/lookup.js';
import { locateInText } from './tables.js';
import { locateContent } from './symbols/locations.js';
import { collectDocuments } from './symbols/documents.js';
import type { Range, Position } from '../../contract/problem.js';

const kept = new WeakMap<Analysis, SymbolIndex>();

export function symbolsOf(analysis: Analysis, registry: Registry): SymbolIndex {
  const known = kept.get(analysis);
  if (known !== undefined) return known;
  const index = createSymbolIndex(analysis, registry);
  kept.set(analysis, index);
  return index;
}

const COLLECTORS: readonly ((collecting: SymbolCollector) => void)[] = [
  collectModels,
  collectResources,
  collectStatements,
  collectDocuments,
  collectSharedNames,
  collectTests,
];

interface Draft extends SymbolId {
  readonly key: string;
  readonly occurrences: Map<string, Occurrence>;
  readonly alike: Set<string>;
}

function createSymbolIndex(analysis: Analysis, registry: Registry): SymbolIndex {
  const drafts = new Map<string, Draft>();
  const ensureDraft = (id: SymbolId): Draft => {
    const key = createSymbolKey(id);
    const { sort, within, name } = id;
    const one = drafts.get(key) ?? { sort, within, name, key, occurrences: new Map(), alike: new Set() };
    drafts.set(key, one);
    return one;
  };
  const collecting: SymbolCollector = {
    analysis,
    registry,
    add(id, spot, role, form = 'plain') {
      // The name is not written yet.
      if (id.name === '') return;
      const { occurrences } = ensureDraft(id);
      const { start } = rangeAt(spot.doc, spot.start, spot.end);
      const place = `${spot.doc.file}\n${start.line}:${start.character}`;
      // Several collectors may report one location; a declaration takes precedence.
      if (!occurrences.has(place) || role === 'declaration') occurrences.set(place, { spot, role, form });
    },
    linkSymbols(a, b) {
      ensureDraft(a).alike.add(createSymbolKey(b));
      ensureDraft(b).alike.add(createSymbolKey(a));
    },
  };
  for (const collect of COLLECTORS) collect(collecting);
  const symbols = new Map([...drafts].map(([key, one]) => [key, freezeSymbol(one)]));
  const byFile = new Map<string, SymbolMatch[]>();
  return {
    symbols,
    get: (id) => symbols.get(createSymbolKey(id)),
    at(file, position) {
      const found = byFile.get(file) ?? listMatches(symbols, file);
      byFile.set(file, found);
      const around = found.filter(({ range }) => isInRange(range, position));
      // A path contains its segments, so the shortest range wins.
      return around.reduce<SymbolMatch | null>(
        (best, one) => (best === null || isWithin(one, best) ? one : best),
        null,
      );
    },
  };
}

const freezeSymbol = ({ occurrences, alike, ...id }: Draft): NamedSymbol =>
  Object.freeze({ ...id, occurrences: [...occurrences.values()], alike: [...alike] });

const listMatches = (symbols: ReadonlyMap<string, NamedSymbol>, file: string): SymbolMatch[] =>
  [...symbols.values()].flatMap((symbol) =>
    symbol.occurrences
      .filter(({ spot, form }) => spot.doc.file === file && form !== 'file')
      .map((occurrence) => ({ symbol, occurrence, range: toRange(occurrence.spot) })),
  );

const isInRange = ({ start, end }: Range, { line, character }: Position): boolean =>
  (start.line < line || (start.line === line && start.character <= character)) &&
  (end.line > line || (end.line === line && end.character >= character));

const isWithin = ({ range: a }: SymbolMatch, { range: b }: SymbolMatch): boolean =>
  isInRange(b, a.start) && isInRange(b, a.end);

function collectStatements(collecting: SymbolCollector): void {
  const { analysis, add } = collecting;
  const modelOf = getLookup(collecting.analysis).model;
  for (const definition of analysis.definitions) {
    for (const statement of definition.finds.statements) {
      const { node, language, scan, unique } = statement;
      for (const table of scan.tables) {
        const model = modelOf(table.name);
        if (model !== undefined) add(modelId(model), locateInText(definition, node, table), 'use', 'sql');
      }
      const target = scan.target === null ? undefined : modelOf(scan.target.name);
      for (const one of target === undefined ? [] : listNameNodes(unique)) {
        const spot = locateContent({ doc: definition.doc, start: one.start, end: one.end });
        add(fieldId(target ?? '', String(one.scalar)), spot, 'use');
      }
      const known = analysis.names.get(node);
      if (known === undefined) continue;
      const named = known.names.filter(({ model }) => model !== null);
      for (const [i, place] of language.locateNames(scan, named).entries()) {
        const { sort, name, model = null } = named[i] ?? {};
        if (name === undefined || model === null) continue;
        const id = sort === 'table' ? modelId(model) : fieldId(model, name);
        add(id, locateInText(definition, node, place), 'use', 'sql');
      }
    }
  }
}
