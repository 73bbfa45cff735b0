/** Finds views and functions that no script creates, and the names under which they give secrets to statements. */
import { locateInString } from '../source/escapes.js';
import type { SqlText } from './facts.js';
import type { LinkedAction } from './linked-resource.js';
import type { Definition } from './model.js';
import { addRenamed } from './renamed-columns.js';
import { isInside, type SourceLocation } from './report.js';
import type { UsedObject } from './stored-objects.js';

interface SecretContext {
  readonly ofModel: (model: string) => readonly string[];
  /** The fields of the models, in lower case. */
  readonly listColumns: (models: readonly string[]) => ReadonlySet<string>;
}

export interface StoredSecret {
  readonly spot: SourceLocation;
  readonly object: string;
  readonly names: readonly string[];
}

export function findStoredSecrets(
  { doc, finds }: Definition,
  { node, behind }: LinkedAction,
  { ofModel, listColumns }: SecretContext,
): readonly StoredSecret[] {
  const unscripted = new Set(behind.objects.flatMap(({ name, unscripted: is }) => (is ? [name.toLowerCase()] : [])));
  const secrets = unscripted.size === 0 ? [] : behind.models.flatMap(ofModel);
  if (secrets.length === 0) return [];
  const columns = listColumns(behind.models);
  return finds.statements.flatMap((statement) => {
    const { node: text, language, scan } = statement;
    if (!isInside(text, node)) return [];
    const seen = new Set<string>();
    return language.listNames(scan).flatMap((word): StoredSecret[] => {
      const object = word.name;
      if (!unscripted.has(object.toLowerCase()) || seen.has(object)) return [];
      seen.add(object);
      const names = listGiven(object, statement, behind, { secrets, columns });
      return names.length === 0 ? [] : [{ spot: locateInString(doc, text, word), object, names }];
    });
  });
}

/** Only because of this object, the statement returns secrets under these. */
function listGiven(
  object: string,
  statement: SqlText,
  { objects }: LinkedAction['behind'],
  { secrets, columns }: { readonly secrets: readonly string[]; readonly columns: ReadonlySet<string> },
): readonly string[] {
  const isOther = ({ name }: UsedObject): boolean => name.toLowerCase() !== object.toLowerCase();
  const without = addRenamed(secrets, [statement], columns, objects.filter(isOther));
  return [...addRenamed(secrets, [statement], columns, objects)].filter((name) => !without.has(name));
}
