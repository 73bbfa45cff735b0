/** Collects the names of tables and columns in SQL. */
import { quoteReserved } from '../../strings/sql-reserved.js';
import { createSqlLocator } from '../sql/locator.js';
import type { SymbolCollector } from '../symbols.js';
import { locateInText } from '../tables.js';
import { fieldId, modelId, listNameNodes } from './models.js';
import { locateContent } from './locations.js';
import { getLookup } from './lookup.js';

export function collectStatements(collecting: SymbolCollector): void {
  const { analysis, add } = collecting;
  const modelOf = getLookup(collecting.analysis).model;
  for (const definition of analysis.definitions) {
    for (const statement of definition.finds.statements) {
      const { node, scan, unique } = statement;
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
      const places = createSqlLocator(definition.doc, statement, quoteReserved(scan));
      for (const { sort, name, model, at } of known.names) {
        if (model === null) continue;
        const id = sort === 'table' ? modelId(model) : fieldId(model, name);
        add(id, places.name(at, name), 'use', 'sql');
      }
    }
  }
}
