/** Finds secrets of earlier results that a resource without `returnables` returns under a name that does not hide them. */
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { scanSql } from '../../../language/strings/sql.js';
import { isSecret, listExtractions } from '../shared/deferred-secrets.light.js';
import { toObjects } from '../shared/deferred-parts.light.js';

/** `action` provides the response; `at` is its pointer. */
export function findSecretsReturned({ root, facts, secrets }: CheckPlace, action: JsonObject, at: string): Finding[] {
  const taken = new Map(
    toObjects(root['actionables']).flatMap((one) =>
      listExtractions(one).flatMap(({ path, name }) => (isSecret(path, secrets) ? [[name, path] as const] : [])),
    ),
  );
  if (taken.size === 0) return [];
  const report = (text: string, bare: boolean, pointer: string): Finding[] => {
    const paths = [...(bare ? [text] : []), ...listAccessors(text).map(({ tail }) => tail.join('.'))];
    const name = taken.get(paths.find((path) => taken.has(path.split('.', 1)[0] ?? path))?.split('.', 1)[0] ?? '');
    return name === undefined ? [] : [{ code: 'RET_SECRET', at: pointer, params: { name } }];
  };
  const visit = (json: Json, pointer: string): Finding[] => {
    if (typeof json === 'string') return report(json, false, pointer);
    if (Array.isArray(json)) return (json as readonly Json[]).flatMap((item, i) => visit(item, `${pointer}/${i}`));
    return Object.entries(isObject(json) ? json : {}).flatMap(([key, inner]) =>
      secrets.has(key) ? [] : visit(inner, `${pointer}/${escapePointer(key)}`),
    );
  };
  const isWritten = facts('mode', asText(action['mode']))?.['touches'] === 'nothing';
  const query = isObject(action['sql_query']) ? action['sql_query'] : {};
  const parameters = Array.isArray(query['parameters']) ? (query['parameters'] as readonly Json[]) : [];
  return [
    ...(isWritten ? visit(action['value'] ?? null, `${at}/value`) : []),
    ...listSelected(asText(query['query']), secrets).flatMap((n) =>
      report(asText(parameters[n - 1] ?? null), true, `${at}/sql_query/parameters/${n - 1}`),
    ),
  ];
}

/** Parameters that a column of the result is, under a name that is not secret. */
function listSelected(text: string, secrets: ReadonlySet<string>): number[] {
  const scan = scanSql(text);
  const findWord = (word: string): number | undefined =>
    scan.tokens.find(({ start, end }) => text.slice(start, end).toUpperCase() === word)?.start;
  const [from, to] =
    scan.verb === 'SELECT' ? [0, findWord('FROM') ?? text.length] : [findWord('RETURNING') ?? text.length, text.length];
  return scan.placeholders.flatMap(({ n, start }) => {
    const alias = /^\$\d+(?:::[\w[\]]+)?\s+(?:AS\s+)?"?(\w+)/i.exec(text.slice(start))?.[1];
    return start < from || start > to || (alias !== undefined && secrets.has(alias)) ? [] : [n];
  });
}
