/** Describes models in Markdown: fields, table, unique constraints. */
import type { DataModel } from '../language/analysis/model.js';
import { blocks, table } from '../language/export/markdown.js';
import { memberOf } from '../language/source/tree.js';
import { placeWords } from './place-words.js';
import { inCode } from './safe-markdown.js';
import type { View } from './view.js';
import { ruleCells } from './words-rules.js';
import { namesOf } from './words.js';

/** Maximum number of table rows. */
const MANY = 40;

export function modelMarkdown(view: View, model: DataModel): string {
  const { fields, uniques, added, stores, definition, name } = model;
  const several = uniques.filter(({ length }) => length > 1);
  const rows = fields.slice(0, MANY).map((field) => [inCode(field.name), ...ruleCells(view.registry, field.value)]);
  const where = [...new Set(stores.map(({ instance }) => instance))];
  return blocks(
    `**${inCode(name)}**: model, table ${inCode(model.table)}${where.length === 0 ? '' : ` in ${namesOf(where)}`}`,
    table(['field', 'type', ''], rows),
    fields.length > MANY ? `and ${fields.length - MANY} more` : '',
    added.length === 0 ? '' : `Added by statements: ${namesOf(added)}`,
    several.length === 0 ? '' : `Unique together: ${several.map((names) => names.map(inCode).join(' + ')).join('; ')}`,
    placeWords(view.project, definition.doc, definition.nameSpot.start),
  );
}

export function modelFieldMarkdown(view: View, model: DataModel, name: string): string {
  const field = model.fields.find((one) => one.name === name);
  if (field === undefined) return '';
  const { definition } = model;
  const [type = '', traits = ''] = ruleCells(view.registry, field.value);
  const alone = model.uniques.some((names) => names.length === 1 && names[0] === name);
  const said = [type, traits, alone && !traits.includes('unique') ? 'unique' : ''].filter((part) => part !== '');
  return blocks(
    `**${inCode(name)}** of the model ${inCode(model.name)}: ${said.join(', ')}`,
    model.secrets.has(name) ? 'Hashed or encrypted before it is written; never answered unless it is asked for.' : '',
    placeWords(view.project, definition.doc, memberOf(definition.node, name)?.keyStart ?? definition.nameSpot.start),
  );
}
