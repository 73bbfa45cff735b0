/** Call hierarchy over the protocol: dependencies, guards, jobs, schedules, messages. */
import { expect } from 'chai';
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  type CallHierarchyItem,
  type Range,
} from 'vscode-languageserver-protocol';
import { openAtCaret } from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const SIGN_IN = 'definitions/sign-in.resource.json';
const ADD = 'definitions/add.resource.json';
const REPORT = 'definitions/report.resource.json';
const WATCH = 'definitions/watch.resource.json';
const TOKEN = '"type": "JWT", "encryption_key": "$ENV.JWT_KEY"';

const FILES: Readonly<Record<string, string>> = {
  'lintel.config.json': '{ "websocket": { "enabled": true } }',
  '.env': `JWT_KEY=${'k'.repeat(40)}\n`,
  'definitions/_note.model.json': '{ "id": { "type": "String", "primary_key": true }, "text": { "type": "String" } }',
  [SIGN_IN]: `{ "id": "sign-in", "resource": "sign-in", "tokenize": { ${TOKEN}, "custom_claim_fields": ["id"] },
  "actionables": [{ "id": 1, "mode": "RETURN", "value": { "id": "1" } }], "returnables": ["token"] }`,
  [ADD]: `{ "id": "add", "resource": "add", "tokenize": { ${TOKEN} },
  "protected": { "extract_claims": ["id"] },
  "actionables": [
    { "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT text FROM _note WHERE id = $1", "parameters": ["$PROTECTED.id"] } },
    { "id": 2, "mode": "RETURN", "value": { "ok": true },
      "depends_on": [{ "resource_id": "self", "action_ids": [1] }, { "resource_id": "report", "action_ids": [1] }],
      "broadcast_websocket_message": { "broadcast_type": "ROOM", "action": "added", "broadcast_to_room": "notes" }, "returnables": ["ok"] },
    { "id": 3, "mode": "QUERY", "run_in_background": true, "sql_query": { "query": "DELETE FROM _note WHERE id = $1", "parameters": ["$PROTECTED.id"] } }
  ],
  "returnables": ["ok"] }`,
  [REPORT]: `{ "id": "report", "resource": "report",
  "actionables": [
    { "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT id FROM _note LIMIT 1", "parameters": [] } },
    { "id": 2, "mode": "QUERY", "cron_job": { "execution_interval": "0 0 3 * * *" }, "sql_query": { "query": "DELETE FROM _note WHERE text = 'old'", "parameters": [] } }
  ],
  "returnables": ["id"] }`,
  [WATCH]: `{ "id": "watch", "resource": "watch", "actionables": [{ "id": 1, "mode": "RETURN", "value": { "ok": true }, "join_room": "notes" }] }`,
};

describe('language server: call hierarchy', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ files: FILES });
    for (const file of [SIGN_IN, ADD, REPORT, WATCH]) editor.open(file, FILES[file] ?? '');
  });
  after(() => editor.close());

  async function prepare(file: string, before: string): Promise<CallHierarchyItem> {
    const text = FILES[file] ?? '';
    const at = text.indexOf(before) + before.length;
    expect(text.indexOf(before), before).to.be.at.least(0);
    const position = openAtCaret(editor, file, `${text.slice(0, at)}‸${text.slice(at)}`);
    const textDocument = { uri: editor.toUri(file) };
    const [item] =
      (await editor.client.sendRequest(CallHierarchyPrepareRequest.type, { textDocument, position })) ?? [];
    if (item === undefined) throw new Error(`nothing is called at ${before}`);
    return item;
  }
  const textAt = (file: string, { start, end }: Range): string =>
    FILES[file]?.split('\n')[start.line]?.slice(start.character, end.character) ?? '';
  const toName = (uri: string): string => Object.keys(FILES).find((name) => editor.toUri(name) === uri) ?? uri;
  const listOutgoing = async (item: CallHierarchyItem): Promise<string[]> => {
    const found = (await editor.client.sendRequest(CallHierarchyOutgoingCallsRequest.type, { item })) ?? [];
    const file = toName(item.uri);
    return found
      .map(({ to, fromRanges }) => `${to.name}: ${fromRanges.map((one) => textAt(file, one)).join(', ')}`)
      .sort();
  };
  const listIncoming = async (item: CallHierarchyItem): Promise<string[]> => {
    const found = (await editor.client.sendRequest(CallHierarchyIncomingCallsRequest.type, { item })) ?? [];
    return found
      .map(
        ({ from, fromRanges }) => `${from.name}: ${fromRanges.map((one) => textAt(toName(from.uri), one)).join(', ')}`,
      )
      .sort();
  };

  it('leads from a resource to its actionables, and to the resource whose tokens its guard accepts', async () => {
    const item = await prepare(ADD, '"id": "a');
    expect(item).to.include({ name: 'add', detail: '/add' });
    expect(await listOutgoing(item)).to.deep.equal(['add#1: 1', 'add#2: 2', 'add#3: 3', 'sign-in: "protected"']);
    expect(await listIncoming(item)).to.deep.equal([]);
  });

  it('leads from a resource that issues tokens to the guards that accept them', async () => {
    expect(await listIncoming(await prepare(SIGN_IN, '"id": "sign'))).to.deep.equal(['add: "protected"']);
  });

  it('leads from an actionable to its dependencies, in other resources too, and to its messages', async () => {
    expect(await listOutgoing(await prepare(ADD, '"id": 2, "mode": "RE'))).to.deep.equal([
      'add#1: 1',
      'added: added',
      'notes: notes',
      'report#1: 1',
    ]);
    expect(await listIncoming(await prepare(REPORT, '"id": 1, "mode": "QU'))).to.deep.equal(['add#2: 1', 'report: 1']);
  });

  it('follows a reference to an actionable', async () => {
    expect((await prepare(ADD, '"report", "action_ids": [')).name).to.equal('report#1');
  });

  it('leads from a schedule to its actionable, which no request starts', async () => {
    const item = await prepare(REPORT, '"execution_interval": "0 0');
    expect(item.name).to.equal('report#2');
    const [schedule] = (await editor.client.sendRequest(CallHierarchyIncomingCallsRequest.type, { item })) ?? [];
    expect(schedule?.from).to.include({ name: '0 0 3 * * * (report#2)', detail: 'schedule' });
    expect(await listIncoming(item)).to.have.length(1);
    expect(schedule && (await listOutgoing(schedule.from))).to.deep.equal([
      'report#2: { "execution_interval": "0 0 3 * * *" }',
    ]);
  });

  it('shows which actionable defers a job', async () => {
    expect((await prepare(ADD, '"id": 3, "mode": "QU')).detail).to.equal('QUERY, deferred by run_in_background');
  });

  it('lists the actionables that send to a room and that join it', async () => {
    expect(await listIncoming(await prepare(WATCH, '"join_room": "no'))).to.deep.equal([
      'add#2: notes',
      'watch#1: notes',
    ]);
  });
});
