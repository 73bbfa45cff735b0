/** Describes models in Markdown: fields, table, unique constraints. */
import type { DataModel } from '../language/analysis/model.js';
import { joinBlocks, formatTable } from '../language/export/markdown.js';
import { findMember } from '../language/source/tree.js';
import { formatLocationLink } from './location-links.js';
import { toCodeSpan } from './safe-markdown.js';
import type { DocumentContext } from './document-context.js';
import { ruleCells } from './describe-rules.js';
import { formatNames } from './describe-fields.js';

/** Maximum number of table rows. */
const MANY = 40;

export function modelMarkdown(view: DocumentContext, model: DataModel): string {
  const { fields, uniques, added, stores, definition, name } = model;
  const several = uniques.filter(({ length }) => length > 1);
  const rows = fields.slice(0, MANY).map((field) => [toCodeSpan(field.name), ...ruleCells(view.registry, field.value)]);
  const where = [...new Set(stores.map(({ instance }) => instance))];
  return joinBlocks(
    `**${toCodeSpan(name)}**: model, table ${toCodeSpan(model.table)}${where.length === 0 ? '' : ` in ${formatNames(where)}`}`,
    formatTable(['field', 'type', ''], rows),
    fields.length > MANY ? `and ${fields.length - MANY} more` : '',
    added.length === 0 ? '' : `Added by statements: ${formatNames(added)}`,
    several.length === 0
      ? ''
      : `Unique together: ${several.map((names) => names.map(toCodeSpan).join(' + ')).join('; ')}`,
    formatLocationLink(view.project, definition.doc, definition.nameSpot.start),
  );
}

export function modelFieldMarkdown(view: DocumentContext, model: DataModel, name: string): string {
  const field = model.fields.find((one) => one.name === name);
  if (field === undefined) return '';
  const { definition } = model;
  const [type = '', traits = ''] = ruleCells(view.registry, field.value);
  const alone = model.uniques.some((names) => names.length === 1 && names[0] === name);
  const summary = [type, traits, alone && !traits.includes('unique') ? 'unique' : ''].filter((part) => part !== '');
  return joinBlocks(
    `**${toCodeSpan(name)}** of the model ${toCodeSpan(model.name)}: ${summary.join(', ')}`,
    model.secrets.has(name)
      ? 'Hashed or encrypted before it is written; never returned unless `returnables` names it.'
      : '',
    formatLocationLink(
      view.project,
      definition.doc,
      findMember(definition.node, name)?.keyStart ?? definition.nameSpot.start,
    ),
  );
}
