/** A project with two models, and a resource around one statement: for tests of the editor inside SQL. */
import { openEditor, type Editor } from './editor-pair.js';

export const USERS = `// People who signed up.
{
  "id": { "type": "String", "primary_key": true, "max_length": 26 },
  // Where they get mail.
  "email": { "type": "String", "max_length": 320, "unique": true },
  "fullName": { "type": "String", "optional": true },
  "created_at": { "type": "DateTime" }
}
`;
export const NOTES = `{
  "number": { "type": "Number", "primary_key": true, "auto_increment": true },
  "user_id": { "type": "String", "max_length": 26, "foreign_key": { "of": "_users", "key": "id" } },
  "text": { "type": "String" }
}
`;

export const FILE = 'definitions/a.resource.json';

export const openSqlEditor = (files: Readonly<Record<string, string>> = {}): Promise<Editor> =>
  openEditor({
    files: { 'definitions/_users.model.json': USERS, 'definitions/_notes.model.json': NOTES, ...files },
  });

/** A resource with this one statement, as JSON text; `rest` follows it. */
export const formatSqlResource = (query: string, rest = ''): string =>
  `{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "payload_validation": ` +
  `[{"field": {"email": {"type": "EMAIL"}}, "max_length": 320}, {"field": {"age": {"type": "NUMBER"}}}], ` +
  `"sql_query": {"query": ${query}${rest}}}]}`;
