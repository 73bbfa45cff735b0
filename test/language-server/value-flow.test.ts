/** The origin and the uses of a value, over the protocol: the steps of a column and of a name, over all resources. */
import { expect } from 'chai';
import type { ValueFlow } from '../../language-server/features/value-flow.js';
import { openAtCaret } from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const USER = 'definitions/_user.model.json';
const SIGN_UP = 'definitions/sign-up.resource.json';
const SIGN_IN = 'definitions/sign-in.resource.json';
const MINE = 'definitions/mine.resource.json';
const NOTIFY = 'definitions/notify.resource.json';
const TOKEN = '"type": "JWT", "encryption_key": "$ENV.JWT_KEY"';
const GUARD = `"tokenize": { ${TOKEN} }, "protected": { "extract_claims": ["id"] }`;

const FILES: Readonly<Record<string, string>> = {
  'lintel.config.json': '{ "websocket": { "enabled": true } }',
  '.env': `JWT_KEY=${'k'.repeat(40)}\n`,
  [USER]: `{ "id": { "type": "String", "primary_key": true },
  "email": { "type": "String", "unique": true },
  "password": { "type": "String" },
  "name": { "type": "String", "optional": true } }`,
  'definitions/_log.model.json': '{ "id": { "type": "String", "primary_key": true }, "text": { "type": "String" } }',
  [SIGN_UP]: `{ "id": "sign-up", "resource": "sign-up",
  "actionables": [{ "id": 1, "mode": "QUERY",
    "payload_validation": [{ "field": { "email": { "type": "EMAIL" }, "password": { "type": "STRING", "min_length": 8, "max_length": 72 } } }],
    "hashables": [{ "property": "password", "algorithm": "BCRYPT", "options": { "rounds_cost": 10 } }],
    "sql_query": { "query": "INSERT INTO _user (id, email, password) VALUES ($1, $2, $3)", "parameters": ["$GENERATOR.ULID", "email", "password"] } }],
  "returnables": ["id"] }`,
  [SIGN_IN]: `{ "id": "sign-in", "resource": "sign-in", "tokenize": { ${TOKEN}, "custom_claim_fields": ["id"] },
  "actionables": [{ "id": 1, "mode": "QUERY", "must_return_value": true,
    "payload_validation": [{ "field": { "email": { "type": "EMAIL" } } }],
    "sql_query": { "query": "SELECT id FROM _user WHERE email = $1", "parameters": ["email"] } }],
  "returnables": ["token"] }`,
  [MINE]: `{ "id": "mine", "resource": "mine", ${GUARD},
  "actionables": [{ "id": 1, "mode": "QUERY",
    "sql_query": { "query": "SELECT email AS mail FROM _user WHERE id = $1", "parameters": ["$PROTECTED.id"] } }],
  "returnables": ["mail"] }`,
  [NOTIFY]: `[{ "id": "notify", "resource": "notify", ${GUARD},
  "actionables": [
    { "id": 1, "mode": "HTTPREQUEST",
      "depends_on": [{ "resource_id": "mine", "action_ids": [1], "extract_response_for": [{ "extract": "0.mail", "for": "to" }] }],
      "http": { "url": "https://mail.test/send", "method": "POST", "request_body": { "to": "$PAYLOAD.to" } } },
    { "id": 2, "mode": "QUERY", "queue": { "attempts": 2 },
      "payload_validation": [{ "field": { "name": { "type": "STRING" } } }],
      "sql_query": { "query": "UPDATE _user SET name = $1 WHERE id = $2 RETURNING name", "parameters": ["name", "$PROTECTED.id"] } },
    { "id": 3, "mode": "QUERY", "depends_on": [{ "resource_id": "self", "action_ids": [1] }],
      "sql_query": { "query": "INSERT INTO _log (id, text) VALUES ($1, $2)", "parameters": ["$GENERATOR.ULID", "to"] } }
  ],
  "returnables": ["ok"] }, { "id": "renamed", "resource": "renamed",
  "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT name, id FROM _user", "parameters": [] },
    "returnables": ["name"],
    "broadcast_websocket_message": { "broadcast_type": "ALL", "action": "renamed" } }],
  "returnables": ["id"] },
  { "id": "texts", "resource": "texts",
  "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT text FROM _log", "parameters": [] } }],
  "returnables": ["text"] },
  { "id": "close", "resource": "close",
  "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": { "query": "UPDATE _log SET text = 'closed' WHERE id = 'a'", "parameters": [] } }] }]`,
};

describe('language server: value flow', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ files: FILES });
    for (const file of [USER, SIGN_UP, SIGN_IN, MINE, NOTIFY]) editor.open(file, FILES[file] ?? '');
  });
  after(() => editor.close());

  async function trace(file: string, before: string): Promise<ValueFlow | null> {
    const text = FILES[file] ?? '';
    const at = text.indexOf(before) + before.length;
    expect(text.indexOf(before), before).to.be.at.least(0);
    const position = openAtCaret(editor, file, `${text.slice(0, at)}‸${text.slice(at)}`);
    const textDocument = { uri: editor.toUri(file) };
    return editor.client.sendRequest('lintel/valueFlow', { textDocument, position });
  }
  const textAt = (uri: string, { start, end }: ValueFlow['groups'][number]['steps'][number]['range']): string => {
    const file = Object.keys(FILES).find((name) => editor.toUri(name) === uri) ?? '';
    return FILES[file]?.split('\n')[start.line]?.slice(start.character, end.character) ?? '';
  };
  /** `label (detail): what is selected` of a group. */
  const listSteps = (flow: ValueFlow | null, title: string): string[] =>
    (flow?.groups.find((one) => one.title === title)?.steps ?? []).map(({ label, detail, uri, range }) => {
      const text = textAt(uri, range);
      return `${label} (${detail}): ${text.length > 30 ? '…' : text}`;
    });

  it('follows a column from the payload to responses, calls and other columns, under each name', async () => {
    const flow = await trace(USER, '  "em');
    expect(flow?.groups.map(({ title }) => title)).to.deep.equal(['_user.email', '_log.text']);
    expect(listSteps(flow, '_user.email')).to.deep.equal([
      'validated in sign-in (as email, payload_validation): "email"',
      'validated in sign-up (as email, payload_validation): "email"',
      'written by sign-up#1 (as email): "email"',
      'compared in sign-in#1 (as email): "email"',
      'read by mine#1 (as mail): …',
      'passed on in notify#3 (as mail): "to"',
      'answered by mine (as mail, callers with Authorization): "mail"',
      'sent by notify#1 (as mail, another system): $PAYLOAD.to',
    ]);
    expect(listSteps(flow, '_log.text').at(-1)).to.equal('answered by texts (as text, anyone): "text"');
    // A value that has no name.
    expect(listSteps(flow, '_log.text')).to.include('written by close#1 (as text, by the statement itself): …');
  });

  it('shows that a column is hashed, and that nothing returns it', async () => {
    const flow = await trace(USER, '  "pass');
    expect(listSteps(flow, '_user.password')).to.deep.equal([
      'validated in sign-up (as password, payload_validation): "password"',
      'hashed or encrypted in sign-up#1 (as password, hashables): "password"',
      'written by sign-up#1 (as password): "password"',
    ]);
    expect(flow?.groups.flatMap(({ steps }) => steps).some(({ leaves }) => leaves)).to.equal(false);
  });

  it('shows jobs and messages to clients', async () => {
    const flow = await trace(USER, '  "na');
    expect(listSteps(flow, '_user.name')).to.include.members([
      'queued by notify#2 (as name, waits in a job): 2',
      'broadcast by renamed#1 (as name, connected clients, as renamed): "renamed"',
    ]);
    expect(listSteps(flow, '_user.name').filter((step) => step.startsWith('answered'))).to.deep.equal([]);
  });

  it('shows the tokens that hold a column', async () => {
    expect(listSteps(await trace(USER, '{ "i'), '_user.id')).to.include(
      'issued in a token by sign-in (as id, holders of the token): "id"',
    );
  });

  it('starts at a name of a resource, too', async () => {
    const flow = await trace(NOTIFY, '$PAYLOAD.t');
    expect(flow?.groups.map(({ title }) => title)).to.deep.equal(['to', '_user.email', '_log.text']);
    expect(listSteps(flow, 'to')).to.deep.equal([
      'written by notify#3 (as to): "to"',
      'sent by notify#1 (as to, another system): $PAYLOAD.to',
    ]);
    expect((await trace(SIGN_UP, '"field": { "em'))?.groups.map(({ title }) => title)).to.deep.equal([
      'email',
      '_user.email',
      '_log.text',
    ]);
  });

  it('returns nothing where there is no value', async () => {
    expect(await trace(SIGN_UP, '"id": "sign')).to.equal(null);
    expect(await trace(SIGN_UP, '"mode": "QU')).to.equal(null);
  });
});
