/** Fixes of single codes, over the protocol: the text after each is taken, and that its problem is gone then. */
import { expect } from 'chai';
import { requestActions } from '../support/editor-actions.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';

interface Case {
  readonly code: string;
  readonly title: string;
  /** Members of the resource, or of its one actionable. */
  readonly resource?: string;
  readonly action?: string;
  /** What they are afterwards. */
  readonly after: string;
  /** A certain fix is preferred, and is taken with all others of a file. */
  readonly isCertain?: true;
}

const QUERY = '"mode": "QUERY", "sql_query": { "query": "SELECT id FROM _user" }';
const DOCUMENTS = '"mode": "QUERY", "mongo_query"';
const LIST =
  '"mode": "QUERY", "sql_query": { "query": "INSERT INTO _user (id) VALUES ($1)", "parameters": ["id"], "multi": "people" }';
const RULE = '"payload_validation": [{ "field": { "age": { "type": "NUMBER" } } }]';

const CASES: readonly Case[] = [
  {
    code: 'SQL_SYNTAX',
    title: 'Write names without backquotes',
    action: '"mode": "QUERY", "sql_query": { "query": "SELECT `id`, `fullName` FROM `_user`" }',
    after: String.raw`"mode": "QUERY", "sql_query": { "query": "SELECT id, \"fullName\" FROM _user" }`,
    isCertain: true,
  },
  {
    code: 'LNK_UNKNOWN_NAME',
    title: 'Add a rule for the list "people"',
    action: `${LIST.replace('people', 'peo‸ple')}, ${RULE}`,
    after: `${LIST}, "payload_validation": [{ "field": { "age": { "type": "NUMBER" }, "people": { "type": "ARRAY" } } }]`,
  },
  {
    code: 'DOC_PARAMETER',
    title: 'Add "id" to "parameters"',
    action: `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": { "id": "$1" } }`,
    after: `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": { "id": "$1" }, "parameters": ["id"] }`,
  },
  {
    code: 'DOC_PARAMETER',
    title: 'Add "fullName" to "parameters"',
    action: `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": { "id": "$1", "fullName": { "$in": ["$2"] } }, "parameters": ["$PAYLOAD.id"] }`,
    after: `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": { "id": "$1", "fullName": { "$in": ["$2"] } }, "parameters": ["$PAYLOAD.id", "fullName"] }`,
  },
  {
    code: 'DOC_GROUP',
    title: 'Group all documents: "_id": null',
    action: `${DOCUMENTS}: { "collection": "_user", "action": "AGGREGATE", "pipeline": [{ "$group": { "n": { "$sum": 1 } } }] }`,
    after: `${DOCUMENTS}: { "collection": "_user", "action": "AGGREGATE", "pipeline": [{ "$group": { "n": { "$sum": 1 }, "_id": null } }] }`,
  },
  {
    code: 'DOC_REPLACE',
    title: 'Write it in "$set"',
    action: `${DOCUMENTS}: { "collection": "_user", "action": "UPDATE", "filter_predicate": { "id": "a" }, "update_predicate": { "fullName": "b" /* why */ } }`,
    after: `${DOCUMENTS}: { "collection": "_user", "action": "UPDATE", "filter_predicate": { "id": "a" }, "update_predicate": { "$set": { "fullName": "b" /* why */ } } }`,
  },
  {
    code: 'DOC_NOTHING',
    title: 'Remove "$unset"',
    action: `${DOCUMENTS}: { "collection": "_user", "action": "UPDATE", "filter_predicate": { "id": "a" }, "update_predicate": { "$set": { "fullName": "b" }, "$unset": {} } }`,
    after: `${DOCUMENTS}: { "collection": "_user", "action": "UPDATE", "filter_predicate": { "id": "a" }, "update_predicate": { "$set": { "fullName": "b" } } }`,
  },
  {
    code: 'TOK_NO_SETTINGS',
    title: 'Add "tokenize"',
    resource: `"protected": {}, "actionables": [{ "id": 1, ${QUERY} }]`,
    after: `"protected": {}, "actionables": [{ "id": 1, ${QUERY} }], "tokenize": { "type": "JWT", "encryption_key": "$ENV.JWT_SECRET_KEY" }`,
  },
  {
    code: 'TOK_REVOKE',
    title: 'Add "tokenize"',
    resource: `"invalidate_tokenize": { "tokens": "$HEADER.authorization" }, "actionables": [{ "id": 1, ${QUERY} }]`,
    after: `"invalidate_tokenize": { "tokens": "$HEADER.authorization" }, "actionables": [{ "id": 1, ${QUERY} }], "tokenize": { "type": "JWT", "encryption_key": "$ENV.JWT_SECRET_KEY" }`,
  },
  {
    code: 'CCH_NOT_READ',
    title: 'Add "read_from_cache": true',
    action: `${QUERY}, "cacheable": { "cache_key": "a", "duration": 5 }`,
    after: `${QUERY}, "cacheable": { "cache_key": "a", "duration": 5, "read_from_cache": true }`,
  },
  { code: 'CCH_NOTHING', title: 'Remove "cacheable"', action: `${QUERY}, "cacheable": {}`, after: QUERY },
  {
    code: 'VAL_BOUND_UNUSED',
    title: 'Remove "max_length"',
    action: `${QUERY}, "payload_validation": [{ "field": { "age": { "type": "NUMBER" } }, "max_length": 5 }]`,
    after: `${QUERY}, ${RULE}`,
  },
  { code: 'QUE_NOTHING', title: 'Remove "retries"', action: `${QUERY}, "retries": 2`, after: QUERY },
  {
    code: 'QUE_TWICE',
    title: 'Remove "retries"',
    action: `${QUERY}, "retries": 2, "queue": { "retries": 3 }`,
    after: `${QUERY}, "queue": { "retries": 3 }`,
  },
  {
    code: 'LTR_MAIN',
    title: 'Remove "main_returnable"',
    action: `${QUERY}, "run_in_background": true, "main_returnable": true`,
    after: `${QUERY}, "run_in_background": true`,
  },
  {
    code: 'LTR_ANSWER',
    title: 'Remove "returnables"',
    resource: `"run_in_background": true, "returnables": ["id"], "actionables": [{ "id": 1, ${QUERY} }]`,
    after: `"run_in_background": true, "actionables": [{ "id": 1, ${QUERY} }]`,
  },
  {
    code: 'CRN_NO_OP',
    title: 'Remove "no_op"',
    action: `${QUERY}, "no_op": true, "cron_job": { "execution_interval": "0 0 3 * * *" }`,
    after: `${QUERY}, "cron_job": { "execution_interval": "0 0 3 * * *" }`,
  },
  {
    code: 'BRC_ALL',
    title: 'Remove "broadcast_to"',
    action: `${QUERY}, "broadcast_websocket_message": { "broadcast_type": "ALL", "action": "a", "broadcast_to": "$PAYLOAD.id" }`,
    after: `${QUERY}, "broadcast_websocket_message": { "broadcast_type": "ALL", "action": "a" }`,
  },
  {
    code: 'HSH_TWICE',
    title: 'Remove this entry',
    action: `${QUERY}, "hashables": [{ "property": "word", "algorithm": "BCRYPT" }, { "property": "word", "algorithm": "ARGON2" }]`,
    after: `${QUERY}, "hashables": [{ "property": "word", "algorithm": "BCRYPT" }]`,
  },
  {
    code: 'CPH_TWICE',
    title: 'Remove "a" here',
    action: `${QUERY}, "ciphers": [{ "operation": "Encrypt", "properties": ["a", "b", "a"], "algorithm": "Aes256Gcm", "options": { "key": "$ENV.KEY" } }]`,
    after: `${QUERY}, "ciphers": [{ "operation": "Encrypt", "properties": ["a", "b"], "algorithm": "Aes256Gcm", "options": { "key": "$ENV.KEY" } }]`,
  },
];

describe('language server: fixes of single codes', () => {
  let editor: Editor;
  before(
    async () =>
      (editor = await openEditor({
        files: {
          'definitions/_user.model.json':
            '{ "id": { "type": "String", "primary_key": true }, "fullName": { "type": "String", "optional": true } }',
          '.env': `KEY=${'k'.repeat(32)}\nJWT_SECRET_KEY=${'s'.repeat(40)}\n`,
        },
      })),
  );
  after(() => editor.close());

  for (const { code, title, resource, action, after, isCertain } of CASES) {
    it(`${code}: ${title}`, async () => {
      const wrapMembers = (members: string): string =>
        `{ "id": "a-01", "resource": "a", ${resource === undefined ? `"actionables": [{ "id": 1, ${members} }]` : members} }\n`;
      const source = wrapMembers(resource ?? action ?? '');
      const offered = await requestActions(editor, FILE, source);
      const reported = await editor.diagnostics(FILE);
      expect(reported.map((one) => one.code)).to.include(code);
      const taken = offered.actions.find((one) => one.title === title);
      expect(taken?.isPreferred ?? false, 'preferred').to.equal(isCertain ?? false);
      const { text, diagnostics } = await offered.applyAndDiagnose(title);
      expect(text).to.equal(wrapMembers(after));
      const errors = diagnostics.filter(({ severity }) => severity === 1);
      expect(diagnostics.map((one) => one.code)).not.to.include(code);
      expect(errors.length).to.be.at.most(reported.filter(({ severity }) => severity === 1).length);
    });
  }

  it('offers none where the intention is not certain', async () => {
    for (const [code, members] of [
      // The statement has another fault besides.
      ['SQL_SYNTAX', '"mode": "QUERY", "sql_query": { "query": "SELEC `id` FROM `_user`" }'],
      // One backquote too few.
      ['SQL_SYNTAX', '"mode": "QUERY", "sql_query": { "query": "SELECT id FROM `_user" }'],
      // Values in between are missing, too.
      [
        'DOC_PARAMETER',
        `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": { "id": "$3" } }`,
      ],
      ['DOC_PARAMETER', `${DOCUMENTS}: { "collection": "_user", "action": "FETCH", "filter_predicate": "$1" }`],
      [
        'DOC_REPLACE',
        `${DOCUMENTS}: { "collection": "_user", "action": "UPDATE", "filter_predicate": {}, "update_predicate": {} }`,
      ],
    ] as const) {
      const source = `{ "id": "a-01", "resource": "a", "actionables": [{ "id": 1, ${members} }] }\n`;
      const { actions } = await requestActions(editor, FILE, source);
      expect((await editor.diagnostics(FILE)).map((one) => one.code)).to.include(code);
      const mending = actions.filter(({ diagnostics }) => diagnostics?.some((one) => one.code === code));
      expect(
        mending.map(({ title }) => title),
        members,
      ).to.deep.equal([]);
    }
  });
});
