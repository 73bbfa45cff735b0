/** Finds uncertain uses of a column or table, for review before a rename. */
import type { LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, SqlText } from '../facts.js';
import type { Analysis } from '../analysis.js';
import type { Definition } from '../model.js';
import type { SourceLocation } from '../report.js';
import type { SymbolId } from '../symbols.js';
import { locateInText } from '../tables.js';
import { listQueryKeys } from './documents.js';
import { getLookup } from './lookup.js';

/** Only fields and models have uncertain uses. */
export function findUncertainUses(analysis: Analysis, { sort, within, name }: SymbolId): SourceLocation[] {
  if (sort !== 'field' && sort !== 'model') return [];
  const model = sort === 'field' ? within : name;
  const modelOf = getLookup(analysis).model;
  return analysis.definitions.flatMap((definition) => [
    ...definition.finds.statements
      .filter(({ scan }) => scan.tables.some((table) => modelOf(table.name) === model))
      .flatMap((statement) => listStatementUses(analysis, definition, statement, (text) => isMeant(text, statement))),
    ...(sort === 'model' ? [] : definition.finds.documents)
      .filter(({ collection }) => modelOf(collection) === model)
      .flatMap((query) => listPipelineUses(definition, query, name)),
  ]);

  function isMeant(text: string, { scan }: SqlText): boolean {
    return sort === 'field'
      ? text === name
      : scan.tables.some((table) => table.name === text && modelOf(text) === model);
  }
}

function listStatementUses(
  analysis: Analysis,
  definition: Definition,
  statement: SqlText,
  isMeant: (text: string) => boolean,
): SourceLocation[] {
  const { language, scan, node } = statement;
  const known = analysis.names.get(node);
  const texts = scan.tokens.filter(
    ({ type, start, end }) =>
      (type === 'string' && isMeant(scan.text.slice(start + 1, end - 1))) ||
      (known === undefined && isMeant(read(scan.text, type, start, end))),
  );
  const tables = new Set(scan.tables.map(({ start }) => start));
  const open = (known?.names ?? []).filter(({ model, name }) => model === null && isMeant(name));
  return [
    ...texts.filter(({ start }) => !tables.has(start)).map((token) => locateInText(definition, node, token)),
    ...language.locateNames(scan, open).map((place) => locateInText(definition, node, place)),
  ];
}

function read(text: string, type: string, start: number, end: number): string {
  if (type === 'word') return text.slice(start, end).toLowerCase();
  return type === 'quoted-identifier' ? text.slice(start + 1, end - 1) : '';
}

/** An INSERT without a document takes field names from its parameters. */
function listPipelineUses({ doc }: Definition, query: DocumentQuery, name: string): SourceLocation[] {
  const { around, parameters } = query;
  const isMeant = (text: string): boolean => text.split('.')[0] === name;
  const isFieldPath = (text: string): boolean => text.startsWith('$') && isMeant(text.replace(/^\$+/, ''));
  const toLocation = ({ start, end }: LocatedNode): SourceLocation => ({ doc, start, end });
  const visit = (node: LocatedNode, inList: boolean): SourceLocation[] => [
    ...(node.type === 'string' && (isFieldPath(String(node.scalar)) || (inList && node.scalar === name))
      ? [toLocation(node)]
      : []),
    ...node.items.flatMap((item) => visit(item, true)),
    ...node.members.flatMap(({ key, keyStart, keyEnd, value }) => [
      ...(isMeant(key) ? [{ doc, start: keyStart, end: keyEnd }] : []),
      ...(value === null ? [] : visit(value, false)),
    ]),
  ];
  const given =
    listQueryKeys(query).length > 0 ? [] : parameters.filter((node) => getLastSegment(String(node.scalar)) === name);
  return [
    ...given.map(toLocation),
    ...around.members.flatMap(({ value }) =>
      value === null || value.type === 'string' || value.items.some((item) => parameters.includes(item))
        ? []
        : visit(value, false),
    ),
  ];
}

const getLastSegment = (text: string): string => text.slice(text.lastIndexOf('.') + 1);
