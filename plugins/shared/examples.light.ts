/** Whole definitions around fragments, so that every example is checked. */
import type { Json, JsonObject } from '../../contract/json.js';
import { isObject } from '../../contract/json.js';
import type { Host } from '../../contract/kind.js';

const toFields = (fragment: Json): JsonObject => (isObject(fragment) ? fragment : {});

/** A first actionable that an example may depend on. */
const first: JsonObject = { id: 1, mode: 'RETURN', value: { id: 1, name: 'Ada', balance: 10 } };

/**
 * Inserts the fragment into the second actionable, with `defaults` where it has no mode; the first is a dependency.
 */
export const wrapInActionable = (fragment: Json, defaults: JsonObject = { mode: 'RETURN', value: {} }): Host => ({
  file: 'resource',
  json: {
    id: 'example',
    resource: 'example',
    actionables: [first, { id: 2, ...(toFields(fragment)['mode'] === undefined && defaults), ...toFields(fragment) }],
  },
  at: '/actionables/1',
});

export const wrapInResource = (fragment: Json): Host => ({
  file: 'resource',
  json: {
    id: 'example',
    resource: 'example',
    actionables: [{ id: 1, mode: 'RETURN', value: { id: 1, name: 'Ada' } }],
    ...toFields(fragment),
  },
  at: '',
});

const GUARDED: JsonObject = {
  tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
  protected: { extract_claims: ['id'] },
};

export const wrapAsGuardedParameter = (fragment: Json): Host => {
  const host = wrapAsParameter(fragment);
  return { ...host, json: { ...host.json, ...GUARDED } };
};

export const wrapAsParameter = (fragment: Json): Host => {
  const sql_query = { query: 'SELECT $1 AS example', parameters: [fragment] };
  return {
    file: 'resource',
    json: { id: 'example', resource: 'example', actionables: [{ id: 1, mode: 'QUERY', sql_query }] },
    at: '/actionables/0/sql_query/parameters/0',
  };
};
