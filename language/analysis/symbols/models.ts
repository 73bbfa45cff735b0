/** Collects declarations and uses of models and fields. */
import type { LocatedNode } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { SymbolCollector, SymbolId } from '../symbols.js';
import { getLookup } from './lookup.js';
import { locateContent } from './locations.js';

export const modelId = (name: string): SymbolId => ({ sort: 'model', within: '', name });
export const fieldId = (model: string, name: string): SymbolId => ({ sort: 'field', within: model, name });

export function collectModels(collecting: SymbolCollector): void {
  const modelOf = getLookup(collecting.analysis).model;
  for (const definition of collecting.analysis.definitions) {
    if (definition.sort === 'model') declareModel(collecting, definition);
    const { doc, finds } = definition;
    for (const { refers, name, node, spot, within } of finds.references) {
      if (refers.symbol === 'model') {
        const model = modelOf(String(name));
        if (model !== undefined) collecting.add(modelId(model), locateContent(spot), 'use');
      }
      const target = refers.symbol === 'model-field' && within !== null ? modelOf(within.name) : undefined;
      if (target !== undefined)
        collecting.add(fieldId(target, String(name)), locateContent({ doc, ...toSpan(node) }), 'use');
    }
  }
}

const toSpan = ({ start, end }: LocatedNode) => ({ start, end });

function declareModel(collecting: SymbolCollector, definition: Definition): void {
  const { doc, name, nameSpot, finds, unique } = definition;
  // A model without an enclosing key is named after its file.
  const isKey = nameSpot.doc.text[nameSpot.start] === '"';
  collecting.add(modelId(name), isKey ? locateContent(nameSpot) : nameSpot, 'declaration', isKey ? 'plain' : 'file');
  for (const { symbol, name: field, spot } of finds.declarations) {
    if (symbol === 'model-field') collecting.add(fieldId(name, field), locateContent(spot), 'declaration');
  }
  for (const node of listNameNodes(unique)) {
    collecting.add(fieldId(name, String(node.scalar)), locateContent({ doc, ...toSpan(node) }), 'use');
  }
}

export const listNameNodes = (list: LocatedNode | null): LocatedNode[] =>
  (list?.items ?? []).flatMap((item) => (item.type === 'string' ? [item] : listNameNodes(item)));
