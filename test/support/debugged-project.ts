/** A project whose requests the debugger tests stop: a transfer with a dependency, a job, a call. */
import { createTempProject, defineReturnResource, type TempProject } from './project.js';

export const TRANSFER = `{
  "id": "transfer",
  "resource": "transfer",
  "actionables": [
    // Takes the money.
    {
      "id": 1,
      "mode": "QUERY",
      "payload_validation": [
        { "field": { "amount": { "type": "NUMBER" }, "to": { "type": "STRING" } } },
        { "field": { "pin": { "type": "STRING" } }, "min_length": 4 }
      ],
      "hashables": [{ "property": "pin", "algorithm": "BCRYPT", "options": { "rounds_cost": 4 } }],
      "sql_query": {
        "query": "UPDATE accounts SET balance = balance - $1, pin = $2 WHERE id = 1 RETURNING balance",
        "parameters": ["amount", "pin"]
      }
    },

    {
      "id": 2,
      "mode": "QUERY",
      "depends_on": [
        { "resource_id": "self", "action_ids": [3], "extract_response_for": [{ "extract": "id", "for": "target" }] }
      ],
      "must_return_value": true,
      "sql_query": {
        "query": "UPDATE accounts SET balance = balance + $1 WHERE id = $2 RETURNING id, balance",
        "parameters": ["amount", "target"]
      }
    },
    {
      "id": 3,
      "mode": "QUERY",
      "no_op": true,
      "sql_query": { "query": "SELECT id FROM accounts WHERE owner = $1", "parameters": ["to"] }
    }
  ],
  "returnables": ["id", "balance"]
}
`;
const ACCOUNT = {
  id: { type: 'Number', primary_key: true },
  owner: { type: 'String' },
  balance: { type: 'Number' },
  pin: { type: 'String', optional: true },
};
export const SENT = { amount: 5, pin: '4711-secret', to: 'eva' };
export const TRANSFER_FILE = 'definitions/transfer.json';
const REMOTE_KEY = 'c4b9d8e7a6f5c4b3a29182f1c4b9d2f1';
/** A stop is longer than a request may take. */
export const REQUEST_SECONDS = 4;

/** The one-based line of a text of the transfer. */
export const lineOf = (text: string): number => TRANSFER.slice(0, TRANSFER.indexOf(text)).split('\n').length;

/** `remote`: the address of the service that is called. */
export function createDebuggedProject(remote: { readonly url: string; readonly port: number }): Promise<TempProject> {
  const query = (id: string, text: string): object => ({
    ...{ id, resource: id, returnables: ['id', 'balance'] },
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: text } }],
  });
  const hook = {
    url: '$ENV.REMOTE/hook',
    method: 'POST',
    headers: { 'x-key': 'key $ENV.REMOTE_KEY' },
    request_body: { to: '$PAYLOAD.to' },
  };
  return createTempProject({
    'lintel.config.json': {
      http: { timeouts: { request: REQUEST_SECONDS } },
      outbound: { allow: [`127.0.0.1:${remote.port}`] },
    },
    '.env': `REMOTE=${remote.url}\nREMOTE_KEY=${REMOTE_KEY}\n`,
    'definitions/notify.json': {
      ...{ id: 'notify', resource: 'notify' },
      actionables: [{ id: 1, mode: 'HTTPREQUEST', run_in_background: true, http: hook }],
    },
    'definitions/ask.json': { id: 'ask', resource: 'ask', actionables: [{ id: 1, mode: 'HTTPREQUEST', http: hook }] },
    [TRANSFER_FILE]: TRANSFER,
    'definitions/_account.json': ACCOUNT,
    'definitions/others.json': [
      query('balances', 'SELECT id, balance FROM accounts ORDER BY id'),
      query('fill', "INSERT INTO accounts (id, owner, balance) VALUES (1, 'adam', 100), (2, 'eva', 0)"),
      defineReturnResource('echo', '$PAYLOAD.text'),
    ],
  });
}
