/** Returns why a name cannot be renamed, or a new name is invalid, as text for the user. */
import { basename } from 'node:path';
import { POISON_KEYS } from '../../contract/json.js';
import { mapModelsByAlias } from '../../language/analysis/tables.js';
import { countValues, formatSharedName, isSharedKind, toSharedName } from '../../language/analysis/shared-names.js';
import { getClaimGroups } from '../../language/analysis/symbols/claims.js';
import type { NamedSymbol } from '../../language/analysis/symbols.js';
import type { Project } from '../project.js';
import { getSymbolIndex, toSymbolLocation, findSymbolLocations, type SymbolMatch } from './symbol-locations.js';
import { renameAlias } from './respell-name.js';

export interface RenameSupport {
  /** The client renames files. */
  readonly moves: boolean;
  /** The client asks the user before it makes a change that needs it. */
  readonly confirms: boolean;
}

/** Null if the name can be renamed. */
export function findRenameRejection(
  project: Project,
  { symbol, place }: SymbolMatch,
  { moves, confirms }: RenameSupport,
): string | null {
  const { sort, name } = symbol;
  if (place.form === 'self')
    return `"self" is the resource around it. Rename "${name}" where the resource says its id.`;
  const declared = findSymbolLocations(project, symbol).filter(({ role }) => role === 'declaration');
  if (sort === 'claim' && !declared.some(({ form }) => form === 'issued'))
    return `"${name}" is a claim of tokens that another system issues, so it is not renamed.`;
  if (sort === 'claim' && !confirms)
    return `"${name}" is a claim of issued tokens, and this editor does not ask before it changes it, so it is not renamed.`;
  const isSomewhere = declared.length > 0 || sort === 'payload' || sort === 'environment';
  if (!isSomewhere) return `"${formatSharedName(name)}" is declared nowhere, so nothing else would change with it.`;
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

/** Of any length; accessors are counted. */
const SHARED: Rule = { pattern: /^[^\0]{1,256}$/, right: 'at least one character and at most 256' };

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
  'cache-key': SHARED,
  room: SHARED,
  event: { pattern: /^[^\0]{1,128}$/, right: 'at least one character and at most 128' },
};

/** Null if the new name is valid. */
export function findNameError(project: Project, symbol: NamedSymbol, newName: string): string | null {
  const { sort, name, within } = symbol;
  const { pattern, right } = RULES[sort];
  if (POISON_KEYS.has(newName)) return `"${newName}" is no name that values may have.`;
  if (!pattern.test(newName)) return `"${newName}" cannot be a name here: it takes ${right}.`;
  if (sort === 'resource' && newName === 'self')
    return '"self" means the resource around it, so no resource can be called so.';
  const [has, wants] = [countValues(newName), countValues(name)];
  if (isSharedKind(sort) && has !== wants)
    return `The name needs ${wants === 1 ? 'one accessor' : `${wants} accessors`} between its words, and "${newName}" has ${has}.`;
  const parent = name.slice(0, name.length - getLastSegment(symbol).length);
  const index = getSymbolIndex(project);
  const sorts = sort === 'name' || sort === 'generated' || (sort === 'payload' && parent === '') ? SAME_REALM : [sort];
  const claims = getClaimGroups(project.getSnapshot().analysis, project.registry);
  const newId = isSharedKind(sort) ? toSharedName(newName) : parent + newName;
  const taken = sorts.flatMap(
    (one) => index.get(one === 'claim' ? claims.getId(within, newId) : { sort: one, within, name: newId }) ?? [],
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

/** What a rename changes of the name. */
export const getLastSegment = ({ sort, name }: Pick<NamedSymbol, 'sort' | 'name'>): string =>
  isSharedKind(sort) ? name : name.slice(name.lastIndexOf('.') + 1);

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
