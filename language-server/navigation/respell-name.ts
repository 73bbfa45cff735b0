/** Spells the new name at each location: quotes and plural forms are retained. */
import { RESERVED_NAMES } from '../../plugins/queries/sql/text/tokens.js';
import { isSharedKind, respellSharedName } from '../../language/analysis/shared-names.js';
import type { SymbolId } from '../../language/analysis/symbols.js';
import type { SymbolLocation } from './symbol-locations.js';

/** Returns null if the name needs quotes that are not there. */
export function respellName({ form, text }: SymbolLocation, { sort, name }: SymbolId, newName: string): string | null {
  if (isSharedKind(sort)) return encodeJson(respellSharedName(decodeJson(text), newName) ?? '');
  const isQuoted = form === 'sql' && text.startsWith('\\"');
  const written = isQuoted ? text.slice(2, -2) : text;
  const word = sort === 'model' ? renameAlias(written, name, newName) : newName;
  if (isQuoted) return `\\"${word}\\"`;
  if (form !== 'sql') return word;
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(word) && (sort === 'model' || !RESERVED_NAMES.has(word));
  return isPlain ? word : null;
}

/** The characters between the quotes of a JSON string. */
export const decodeJson = (text: string): string => String(JSON.parse(`"${text}"`));
const encodeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const toBareName = (model: string): string => model.replace(/^_/, '').toLowerCase();

/** Converts an alias of a model (`_user`, `user`, `users`) to the same form of the new name. */
export function renameAlias(written: string, model: string, newModel: string): string {
  if (written === model) return newModel;
  const lower = written.toLowerCase();
  if (lower === model.toLowerCase()) return newModel.toLowerCase();
  if (lower === toBareName(model)) return toBareName(newModel);
  return (lower.startsWith('_') ? '_' : '') + toPlural(toBareName(newModel));
}

function toPlural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}
