/** Finds secrets of earlier results that a resource without `returnables` returns under a name that does not hide them. */
import { asText, escapePointer, type Json, type JsonObject } from '../../../contract/json.js';
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
  const report = (text: string, bare: boolean, pointer: string): Finding[] =>
    [
      ...(bare ? [text] : []),
      ...listAccessors(text).flatMap(({ root, tail: [name = ''] }) => (root === 'PAYLOAD' ? [name] : [])),
    ].flatMap((path) => {
      const name = taken.get(path.split('.', 1)[0] ?? path);
      return name === undefined ? [] : [{ code: 'RET_SECRET', at: pointer, params: { name } }];
    });
  const visit = (json: Json, pointer: string): Finding[] =>
    typeof json === 'string'
      ? report(json, false, pointer)
      : Object.entries(Object(json) as JsonObject).flatMap(([key, inner]) =>
          secrets.has(key) ? [] : visit(inner, `${pointer}/${escapePointer(key)}`),
        );
  const isWritten = facts('mode', asText(action['mode']))?.['touches'] === 'nothing';
  const query = Object(action['sql_query']) as JsonObject;
  const parameters = Object(query['parameters']) as JsonObject;
  return [
    ...(isWritten ? visit(action['value'] ?? null, `${at}/value`) : []),
    ...listSelected(asText(query['query']), secrets).flatMap((n) =>
      report(asText(parameters[n - 1] ?? null), true, `${at}/sql_query/parameters/${n - 1}`),
    ),
  ];
}

/** Parameters that a column of the result is, under a name that is not secret. */
function listSelected(text: string, secrets: ReadonlySet<string>): number[] {
  const { verb, tokens, placeholders } = scanSql(text);
  const isRead = verb === 'SELECT';
  const word = isRead ? 'FROM' : 'RETURNING';
  const at = tokens.find(({ start, end }) => text.slice(start, end).toUpperCase() === word)?.start ?? Infinity;
  return placeholders.flatMap(({ n, start }) => {
    const alias = /^\$\d+\S*\s+(?:AS\s+)?"?(\w+)/i.exec(text.slice(start))?.[1] ?? '';
    return start < at === isRead && !secrets.has(alias) ? [n] : [];
  });
}
