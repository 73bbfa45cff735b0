/** Names that a whole project shares: cache keys, rooms, events, claims of tokens. Offered, followed, renamed, explained. */
import { expect } from 'chai';
import { PrepareRenameRequest, RenameRequest, type WorkspaceEdit } from 'vscode-languageserver-protocol';
import {
  openAtCaret,
  requestDefinitions,
  requestPrepareRename,
  requestReferences,
  requestRename,
} from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { putCaret } from '../support/marked-source.js';
import { requestHover } from '../support/hover-requests.js';

const USER = 'definitions/_user.model.json';
const SIGN_IN = 'definitions/sign-in.resource.json';
const MINE = 'definitions/mine.resource.json';
const ADD = 'definitions/add.resource.json';
const WATCH = 'definitions/watch.resource.json';
const TEST = 'definitions/add.test.json';

const TOKEN = '"type": "JWT", "encryption_key": "$ENV.JWT_KEY"';
const GUARD = `"tokenize": { ${TOKEN} }, "protected": { "extract_claims": ["id"] }`;

const FILES: Readonly<Record<string, string>> = {
  'lintel.config.json': '{ "websocket": { "enabled": true } }',
  '.env': `JWT_KEY=${'k'.repeat(40)}\n`,
  [USER]:
    '{ "id": { "type": "String", "primary_key": true },\n  "email": { "type": "String", "unique": true },\n  "secret": { "type": "String" } }',
  [SIGN_IN]: `{
  "id": "sign-in", "resource": "sign-in",
  "tokenize": { ${TOKEN}, "custom_claim_fields": ["id"] },
  "actionables": [{ "id": 1, "mode": "QUERY", "must_return_value": true,
    "payload_validation": [{ "field": { "email": { "type": "EMAIL" } } }],
    "sql_query": { "query": "SELECT id, id AS owner FROM _user WHERE email = $1", "parameters": ["email"] } }],
  "returnables": ["token"]
}`,
  [MINE]: `{
  "id": "mine", "resource": "mine", ${GUARD},
  "actionables": [{ "id": 1, "mode": "QUERY",
    "cacheable": { "read_from_cache": true, "cache_key": "mine of $PROTECTED.id", "duration": 60 },
    "sql_query": { "query": "SELECT email FROM _user WHERE id = $1", "parameters": ["$PROTECTED.id"] } }],
  "returnables": ["email"]
}`,
  [ADD]: `{
  "id": "add", "resource": "add/:match", ${GUARD},
  "actionables": [{ "id": 1, "mode": "QUERY",
    "payload_validation": [{ "field": { "email": { "type": "EMAIL" } } }],
    "sql_query": { "query": "UPDATE _user SET email = $1 WHERE id = $2 RETURNING email", "parameters": ["email", "$PROTECTED.id"] },
    "cacheable": { "invalidate_cache_keys": ["mine of $PAYLOAD.match", "all-users"] },
    "broadcast_websocket_message": { "broadcast_type": "ROOM", "action": "goal", "broadcast_to_room": ["match $PAYLOAD.match", "press"] } }],
  "returnables": ["email"]
}`,
  [WATCH]: `[{
  "id": "watch", "resource": "watch/:game",
  "actionables": [{ "id": 1, "mode": "RETURN", "value": { "ok": true }, "join_room": "match $PAYLOAD.game" },
    { "id": 2, "mode": "RETURN", "value": { "ok": true }, "join_room": ["press"] }]
}, {
  "id": "all-users", "resource": "all-users", "cacheable": { "read_from_cache": true, "duration": 60 },
  "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT email FROM _user", "parameters": [] } }],
  "returnables": ["email"]
}]`,
  [TEST]: `{ "id": "adding", "cases": [{ "id": "tells the goal",
  "given": { "claims": { "id": "1" } },
  "steps": [{ "connect": { "client": "screen" } }, { "request": { "resource": "add", "as": { "id": "2" } } }, { "receive": "screen", "expect": { "body": { "action": "goal" } } }],
  "expect": { "messages": [{ "action": "goal" }] } }] }`,
};

const CAPABILITIES = {
  workspace: {
    workspaceEdit: { documentChanges: true, resourceOperations: ['rename'], changeAnnotationSupport: {} },
  },
};

describe('language server: shared names of a project', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: FILES, capabilities: CAPABILITIES })));
  after(() => editor.close());

  const put = (file: string, before: string, word: string): string => putCaret(FILES[file] ?? '', before, word);
  const caretAt = (file: string, before: string, word: string) => openAtCaret(editor, file, put(file, before, word));
  const go = (file: string, before: string, word: string) =>
    requestDefinitions(editor, file, caretAt(file, before, word));
  const uses = (file: string, before: string, word: string) =>
    requestReferences(editor, file, caretAt(file, before, word), false);
  const rename = (file: string, before: string, word: string, to: string) =>
    requestRename(editor, file, caretAt(file, before, word), to);
  const replaceIn = (file: string, ...pairs: readonly (readonly [string, string])[]): string =>
    pairs.reduce((now, [from, to]) => {
      expect(now, file).to.include(from);
      return now.replace(from, to);
    }, FILES[file] ?? '');

  it('starts without problems', async () => {
    for (const file of Object.keys(FILES).filter((name) => name.startsWith('definitions/'))) {
      editor.open(file, FILES[file] ?? '');
      expect(
        (await editor.diagnostics(file)).map(({ message }) => message),
        file,
      ).to.deep.equal([]);
    }
  });

  it('finds the declarations of a cache key, a room and an event, whatever their accessors are', async () => {
    expect(await go(ADD, '["', 'mine of')).to.deep.equal([`${MINE}:4:59 mine of $PROTECTED.id`]);
    expect(await go(ADD, '"broadcast_to_room": ["', 'match ')).to.deep.equal([`${WATCH}:3:87 match $PAYLOAD.game`]);
    expect(await go(ADD, ', "', 'press')).to.deep.equal([`${WATCH}:4:74 press`]);
    expect(await go(TEST, '"body": { "action": "', 'goal')).to.deep.equal([`${ADD}:7:75 goal`]);
  });

  it('finds the declaration of an accessor inside such a text', async () => {
    expect(await go(ADD, 'match $PAYLOAD.', 'match')).to.deep.equal([`${ADD}:2:34 match`]);
  });

  it('reads a key without a declaration as the id of a cached resource', async () => {
    expect(await go(ADD, ', "', 'all-users')).to.deep.equal([`${WATCH}:6:10 all-users`]);
    expect(await rename(ADD, ', "', 'all-users', 'everyone')).to.deep.equal({
      [WATCH]: replaceIn(WATCH, ['"id": "all-users"', '"id": "everyone"']),
      [ADD]: replaceIn(ADD, ['"all-users"', '"everyone"']),
    });
  });

  it('finds every place of an event, in test files too', async () => {
    expect(await uses(ADD, '"action": "', 'goal')).to.deep.equal([`${TEST}:3:167 goal`, `${TEST}:4:41 goal`]);
  });

  it('renames the text and keeps the accessors of each place', async () => {
    const position = caretAt(MINE, '"cache_key": "', 'mine');
    const textDocument = { uri: editor.toUri(MINE) };
    expect(await editor.client.sendRequest(PrepareRenameRequest.type, { textDocument, position })).to.include({
      placeholder: 'mine of $PROTECTED.id',
    });
    expect(await rename(MINE, '"cache_key": "', 'mine', 'those "of" $PROTECTED.id')).to.deep.equal({
      [MINE]: replaceIn(MINE, ['mine of $PROTECTED.id', 'those \\"of\\" $PROTECTED.id']),
      [ADD]: replaceIn(ADD, ['mine of $PAYLOAD.match', 'those \\"of\\" $PAYLOAD.match']),
    });
    expect(await rename(WATCH, '"join_room": "', 'match', 'game $PAYLOAD.game!')).to.deep.equal({
      [WATCH]: replaceIn(WATCH, ['"match $PAYLOAD.game"', '"game $PAYLOAD.game!"']),
      [ADD]: replaceIn(ADD, ['"match $PAYLOAD.match"', '"game $PAYLOAD.match!"']),
    });
    expect(await rename(TEST, '"body": { "action": "', 'goal', 'scored')).to.deep.equal({
      [ADD]: replaceIn(ADD, ['"action": "goal"', '"action": "scored"']),
      [TEST]: replaceIn(TEST, ['"action": "goal"', '"action": "scored"'], ['"action": "goal"', '"action": "scored"']),
    });
  });

  it('does not rename to another number of values, or to a name that is taken', async () => {
    expect(await rename(MINE, '"cache_key": "', 'mine', 'mine')).to.equal(
      'The name needs one accessor between its words, and "mine" has 0.',
    );
    expect(await rename(ADD, ', "', 'press', 'match')).to.be.an('object');
    expect(await rename(WATCH, '["', 'press', 'goal')).to.be.an('object');
    expect(await rename(ADD, '["', 'mine', 'all-users')).to.include('needs one accessor');
    expect(await rename(WATCH, '["', 'press', 'press')).to.deep.equal({});
  });

  it('finds the resource that issues a claim, and from there the value', async () => {
    const issued = [`${SIGN_IN}:3:91 id`];
    expect(await go(MINE, '["$PROTECTED.', 'id')).to.deep.equal(issued);
    expect(await go(ADD, '"extract_claims": ["', 'id')).to.deep.equal(issued);
    expect(await go(SIGN_IN, '"custom_claim_fields": ["', 'id')).to.deep.equal([`${USER}:1:4 id`]);
  });

  it('finds the readers of an issued claim', async () => {
    expect(await uses(SIGN_IN, '"custom_claim_fields": ["', 'id')).to.deep.equal(
      [
        `${TEST}:2:27 id`,
        `${TEST}:3:95 id`,
        `${ADD}:2:142 id`,
        `${ADD}:5:126 id`,
        `${MINE}:2:137 id`,
        `${MINE}:4:78 id`,
        `${MINE}:5:97 id`,
      ].sort(),
    );
  });

  it('renames a claim only where its result has the new name, and asks for confirmation', async () => {
    expect(await rename(MINE, '["$PROTECTED.', 'id', 'nobody')).to.match(
      /this would be wrong in .*No actionable returns/,
    );
    const position = caretAt(MINE, '["$PROTECTED.', 'id');
    const textDocument = { uri: editor.toUri(MINE) };
    const edit: WorkspaceEdit | null = await editor.client.sendRequest(RenameRequest.type, {
      textDocument,
      position,
      newName: 'owner',
    });
    const [annotation] = Object.entries(edit?.changeAnnotations ?? {});
    expect(annotation?.[1]).to.include({ needsConfirmation: true });
    expect(annotation?.[1].description).to.include('already hold the claim "id"');
    const edits = (edit?.documentChanges ?? []).flatMap((one) => ('edits' in one ? one.edits : []));
    expect(edits).to.have.length(8);
    for (const one of edits) expect(one).to.include({ newText: 'owner', annotationId: annotation?.[0] });
  });

  it('offers names of the project where they are used and where they are declared', async () => {
    const offer = async (file: string, before: string, word: string): Promise<readonly string[]> => {
      const text = FILES[file] ?? '';
      const i = text.indexOf(before + word);
      expect(i, `"${before}${word}" in ${file}`).to.be.at.least(0);
      const at = i + before.length;
      const { labels } = await editor.requestCompletion(file, `${text.slice(0, at)}‸${text.slice(at + word.length)}`);
      editor.open(file, text);
      // Names of other files come from the last analysis.
      await editor.diagnostics(file);
      return labels;
    };
    expect(await offer(ADD, '"invalidate_cache_keys": ["', 'mine of $PAYLOAD.match')).to.include(
      'mine of $PROTECTED.id',
    );
    expect(await offer(ADD, '$PAYLOAD.match", "', 'press')).to.include('press');
    expect(await offer(WATCH, '"join_room": ["', 'press')).to.include('press');
    expect(await offer(ADD, '"action": "', 'goal')).not.to.include('goal');
    expect(await offer(SIGN_IN, '"custom_claim_fields": ["', 'id')).to.include('id');
  });

  it('explains a shared name by its places, and a claim by its issuer', async () => {
    const key = await requestHover(editor, ADD, put(ADD, '["', 'mine of'));
    expect(key?.markdown)
      .to.include('the name of cached entries')
      .and.include('mine.resource.json')
      .and.include('Used at');
    const claim = await requestHover(editor, MINE, put(MINE, '"extract_claims": ["', 'id'));
    expect(claim?.markdown).to.include('Issued at').and.include('sign-in.resource.json');
  });
});

describe('language server: claims in an editor that does not ask', () => {
  it('are not renamed', async () => {
    const editor = await openEditor({ files: FILES });
    const text = FILES[MINE] ?? '';
    const at = text.indexOf('["$PROTECTED.id') + 14;
    const position = openAtCaret(editor, MINE, `${text.slice(0, at)}‸${text.slice(at)}`);
    expect(await requestPrepareRename(editor, MINE, position)).to.include('does not ask before it changes it');
    await editor.close();
  });
});
