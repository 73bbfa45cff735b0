/** Collects names in document queries, up to the first stage that reshapes documents. */
import type { LocatedNode, Member } from '../../source/tree.js';
import type { DocumentQuery } from '../facts.js';
import type { Definition } from '../model.js';
import type { SymbolCollector } from '../symbols.js';
import { listCollections } from '../tables.js';
import { fieldId, modelId, listNameNodes } from './models.js';
import { locateInside, locateContent } from './locations.js';
import { getLookup } from './lookup.js';

export function collectDocuments(collecting: SymbolCollector): void {
  const modelOf = getLookup(collecting.analysis).model;
  for (const definition of collecting.analysis.definitions) {
    const { doc } = definition;
    for (const query of definition.finds.documents) {
      for (const { name, node } of listCollections(query)) {
        const model = modelOf(name);
        if (model !== undefined) collecting.add(modelId(model), locateContent({ doc, ...toSpan(node) }), 'use');
      }
      const model = modelOf(query.collection);
      if (model === undefined) continue;
      for (const node of listNameNodes(query.unique)) {
        collecting.add(fieldId(model, String(node.scalar)), locateContent({ doc, ...toSpan(node) }), 'use');
      }
      for (const member of listQueryKeys(query)) collectKey(collecting, definition, model, member);
    }
  }
}

const toSpan = ({ start, end }: LocatedNode) => ({ start, end });

function collectKey(
  { add, analysis }: SymbolCollector,
  { doc }: Definition,
  model: string,
  { key, keyStart, keyEnd }: Member,
): void {
  const [root = key] = key.split('.');
  if (getLookup(analysis).hasField(model, root)) {
    add(fieldId(model, root), locateInside({ doc, start: keyStart, end: keyEnd }, 0, root.length), 'use');
  }
}

/** Only keys that are certainly fields of the collection. */
export function listQueryKeys(query: DocumentQuery): Member[] {
  return query.around.members.flatMap(({ value }) => {
    if (value === null || value === query.unique || isParameters(value, query)) return [];
    return value.type === 'array'
      ? value.items.slice(0, countPlainStages(value, query.form?.plain ?? [])).flatMap(listFieldKeys)
      : listFieldKeys(value);
  });
}

const isParameters = ({ items }: LocatedNode, { parameters }: DocumentQuery): boolean =>
  items.length > 0 && items[0] === parameters[0];

function countPlainStages({ items }: LocatedNode, plain: readonly string[]): number {
  const other = items.findIndex(({ members }) => members.some(({ key }) => !plain.includes(key)));
  return other === -1 ? items.length : other;
}

/** Skips operators; keys below a field are its operators or nested fields. */
function listFieldKeys(node: LocatedNode): Member[] {
  return [
    ...node.items.flatMap(listFieldKeys),
    ...node.members.flatMap((member) =>
      member.key.startsWith('$') ? (member.value === null ? [] : listFieldKeys(member.value)) : [member],
    ),
  ];
}
