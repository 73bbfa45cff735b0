/** Returns why a name cannot be renamed, or a new name is invalid, as text for the user. */
import { basename } from 'node:path';
import { POISON_KEYS } from '../../contract/json.js';
import { mapModelsByAlias } from '../../language/analysis/tables.js';
import { createSymbolKey, type NamedSymbol } from '../../language/analysis/symbols.js';
import type { Project } from '../project.js';
import { getSymbolIndex, toSymbolLocation, findSymbolLocations, type SymbolMatch } from './symbol-locations.js';
import { renameAlias } from './respell-name.js';

/** Null if the name can be renamed. `moves`: the client supports renaming files. */
export function findRenameRejection(project: Project, { symbol, place }: SymbolMatch, moves: boolean): string | null {
  const { sort, name } = symbol;
  if (place.form === 'self')
    return `"self" is the resource around it. Rename "${name}" where the resource says its id.`;
  if (sort === 'claim') return `"${name}" is a claim of issued tokens, so it is not renamed.`;
  const declared = findSymbolLocations(project, symbol).filter(({ role }) => role === 'declaration');
  const isSomewhere = declared.length > 0 || sort === 'payload' || sort === 'environment';
  if (!isSomewhere) return `"${name}" is declared nowhere, so nothing else would change with it.`;
  if (declared.length > 1 && (sort === 'resource' || sort === 'model')) {
    return `"${name}" is declared ${declared.length} times. Give them different names first.`;
  }
  const own = declared.find(({ form }) => form === 'file');
  if (own !== undefined && !moves) {
    return `"${name}" is the name of the file "${basename(own.file)}", and this editor does not rename files. Rename the file yourself.`;
  }
  return null;
}

interface Rule {
  readonly pattern: RegExp;
  readonly right: string;
}

const WORD: Rule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  right: 'letters, digits and underscores, and no digit in front',
};

const RULES: Readonly<Record<NamedSymbol['sort'], Rule>> = {
  resource: { pattern: /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/, right: 'letters, digits and the signs . _ ~ - /' },
  action: { pattern: /^(?:0|[1-9][0-9]{0,8})$/, right: 'a whole number' },
  model: { pattern: /^_[A-Za-z][A-Za-z0-9_]*$/, right: 'an underscore, then letters, digits and underscores' },
  field: WORD,
  payload: WORD,
  name: WORD,
  generated: WORD,
  claim: WORD,
  environment: WORD,
};

/** Null if the new name is valid. */
export function findNameError(project: Project, symbol: NamedSymbol, newName: string): string | null {
  const { sort, name, within } = symbol;
  const { pattern, right } = RULES[sort];
  if (POISON_KEYS.has(newName)) return `"${newName}" is no name that values may have.`;
  if (!pattern.test(newName)) return `"${newName}" cannot be a name here: it takes ${right}.`;
  if (sort === 'resource' && newName === 'self')
    return '"self" means the resource around it, so no resource can be called so.';
  const parent = name.slice(0, name.length - getLastSegment(name).length);
  const index = getSymbolIndex(project);
  const sorts = sort === 'name' || sort === 'generated' || (sort === 'payload' && parent === '') ? SAME_REALM : [sort];
  const taken = sorts.flatMap(
    (one) => index.symbols.get(createSymbolKey({ sort: one, within, name: parent + newName })) ?? [],
  );
  const [first] = taken.flatMap(({ occurrences }) => occurrences);
  if (first !== undefined) {
    const { file, range } = toSymbolLocation(project, first);
    return `"${newName}" is taken: it stands in ${project.toRelativeName(file)}, line ${range.start.line + 1}.`;
  }
  if (sort === 'environment' && project.envNames.names.includes(newName)) {
    return `"${newName}" is taken: it is set already.`;
  }
  return sort === 'model' ? findAliasError(project, symbol, newName) : null;
}

/** Kinds of names that share a namespace within a resource. */
const SAME_REALM = ['name', 'generated', 'payload', 'claim'] as const;

export const getLastSegment = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Queries refer to models by several aliases; none may refer to a different model after the rename. */
function findAliasError(project: Project, symbol: NamedSymbol, newName: string): string | null {
  const models = [...getSymbolIndex(project).symbols.values()].filter(({ sort }) => sort === 'model');
  const renameModel = (model: string): string => (model === symbol.name ? newName : model);
  const byAlias = mapModelsByAlias(models.map(({ name }) => renameModel(name)));
  for (const model of models) {
    for (const { text, form } of findSymbolLocations(project, model)) {
      if (form === 'file') continue;
      const bare = text.replace(/^\\"|\\"$/g, '');
      const written = model === symbol ? renameAlias(bare, model.name, newName) : bare;
      const meant = byAlias.get(written.toLowerCase());
      if (meant !== renameModel(model.name))
        return `Queries that say "${written}" would mean the model "${meant ?? '?'}" then.`;
    }
  }
  return null;
}
