/** Collects names in document queries: collections and fields. Reads pipelines up to the first stage that reshapes documents. */
import type { LocatedNode, Member } from '../../source/tree.js';
import type { DocumentQuery } from '../finds.js';
import type { Definition } from '../model.js';
import type { Collecting } from '../symbols.js';
import { collectionsOf } from '../tables.js';
import { fieldId, modelId, namesIn } from './models.js';
import { innerSpot, wholeSpot } from './spots.js';
import { lookupIn } from './lookup.js';

export function collectDocuments(collecting: Collecting): void {
  const modelOf = lookupIn(collecting.analysis).model;
  for (const definition of collecting.analysis.definitions) {
    const { doc } = definition;
    for (const query of definition.finds.documents) {
      for (const { name, node } of collectionsOf(query)) {
        const model = modelOf(name);
        if (model !== undefined) collecting.add(modelId(model), wholeSpot({ doc, ...spanOf(node) }), 'use');
      }
      const model = modelOf(query.collection);
      if (model === undefined) continue;
      for (const node of namesIn(query.unique)) {
        collecting.add(fieldId(model, String(node.scalar)), wholeSpot({ doc, ...spanOf(node) }), 'use');
      }
      for (const member of keysIn(query)) collectKey(collecting, definition, model, member);
    }
  }
}

const spanOf = ({ start, end }: LocatedNode) => ({ start, end });

function collectKey(
  { add, analysis }: Collecting,
  { doc }: Definition,
  model: string,
  { key, keyStart, keyEnd }: Member,
): void {
  const [root = key] = key.split('.');
  if (lookupIn(analysis).hasField(model, root)) {
    add(fieldId(model, root), innerSpot({ doc, start: keyStart, end: keyEnd }, 0, root.length), 'use');
  }
}

const PLAIN = new Set(['$match', '$sort', '$limit', '$skip']);

/** Only keys that are certainly fields of the collection. */
export function keysIn(query: DocumentQuery): Member[] {
  return query.around.members.flatMap(({ value }) => {
    if (value === null || value === query.unique || isParameters(value, query)) return [];
    return value.type === 'array' ? value.items.slice(0, plainStages(value)).flatMap(fieldKeys) : fieldKeys(value);
  });
}

const isParameters = ({ items }: LocatedNode, { parameters }: DocumentQuery): boolean =>
  items.length > 0 && items[0] === parameters[0];

function plainStages({ items }: LocatedNode): number {
  const other = items.findIndex(({ members }) => members.some(({ key }) => !PLAIN.has(key)));
  return other === -1 ? items.length : other;
}

/** Skips operators; keys below a field are its operators or nested fields. */
function fieldKeys(node: LocatedNode): Member[] {
  return [
    ...node.items.flatMap(fieldKeys),
    ...node.members.flatMap((member) =>
      member.key.startsWith('$') ? (member.value === null ? [] : fieldKeys(member.value)) : [member],
    ),
  ];
}
