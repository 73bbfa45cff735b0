/** Spec of `tokenize`: how tokens of this resource are issued and verified. */
import type { ApiPart, ApiPlace, Forms, JsonSchema } from '../../../contract/api.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import { POISON_KEYS } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding, type IssuedCredentials } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { isAny, isObjectSchema, getProperties, listRequired } from '../../../contract/forms.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { shape, slot } from '../../../contract/combinators.js';
import { DEFAULT_PROPERTY, canIssueTokens } from '../shared/issues-tokens.light.js';
import { ACCESS, PURPOSE_CLAIM } from '../../tokens/shared/audience.light.js';

const KEY = { say: 'the key of tokens is `"encryption_key"`', rename: 'encryption_key' };
const CLAIMS = { say: 'claims are listed in `"custom_claim_fields"`', rename: 'custom_claim_fields' };

export default definePlugin({
  kind: 'feature',
  name: 'tokenize',
  since: '0.2.0',
  summary: 'Issues a token in the response. Next to `protected`, it sets how tokens of callers are validated.',
  details:
    'Claims are looked up in the main result (before `returnables`), then in the other results, latest first, then ' +
    'among the `for` names. Tokens also have `iat`, `exp` and `jti`, an issuer (`iss`) and an audience (`aud`): the ' +
    '`id` of this resource and the key, unless `issuer` and `audience` set others. A token with a `purpose` is ' +
    'accepted only by resources whose guard has the same purpose. Without a row the response is 401. The response ' +
    'contains the token as `property_name`, listed or not. A `protected` resource issues a new token only with ' +
    '`custom_claim_fields`, or if `property_name` is written and listed in `returnables`.',
  facts: { applies: 'when-present' },
  requires: ['token:*'],
  slots: {
    resource: shape({
      tokenize: slot(['tokenize.type'], {
        doc: 'How tokens are issued and validated.',
        examples: [{ type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY', custom_claim_fields: ['id'] }],
        mistaken: { secret: KEY, secret_key: KEY, key: KEY, claims: CLAIMS, payload: CLAIMS, fields: CLAIMS },
      }),
    }),
  },
  check,
  issues: describeIssued,
  getTokenKeys,
  openapi: describeApi,
  errors: {
    TOK_CLAIM_RESERVED: {
      severity: 'error',
      title: 'Claim not allowed',
      message: '"{name}" cannot be a custom claim: {what}.',
      help: 'Give the value another name in the result: `SELECT issuer AS issued_by`.',
    },
    TOK_CLAIM_SECRET: {
      severity: 'error',
      title: 'Secret in a token',
      message: '"{name}" is hashed, encrypted or marked secret, but the holder of a token can read its claims.',
      help: 'Remove it from `custom_claim_fields`; an identifier is enough to find the rest.',
    },
    TOK_RESULT: {
      severity: 'error',
      title: 'No place for a token',
      message: 'The main result is {what}, which cannot contain a token.',
      help: 'Make the main result one object or mark another actionable `main_returnable`. If `tokenize` is only for validating tokens, leave out `custom_claim_fields`.',
    },
    TOK_CLAIM_ABSENT: {
      severity: 'error',
      title: 'Claim not in any result',
      message:
        'No actionable returns "{name}", so no token can be issued: every request would return 422 after its statements ran.',
      help: 'Add the column to the select list or RETURNING list, and to the `returnables` of its actionable if it has any.',
    },
    TOK_NO_SUBJECT: {
      status: 401,
      title: 'Not authenticated',
      message: 'The credentials are not valid.',
      help: 'No row was found to issue a token for.',
    },
    TOK_NOT_OBJECT: {
      status: 422,
      title: 'No token possible',
      message: 'The result is not one object, so it cannot contain a token.',
      help: 'Make the main result of a resource with `tokenize` one object.',
    },
    TOK_CLAIM_MISSING: {
      status: 422,
      title: 'No token possible',
      message: 'No result has a value for the claim "{name}".',
      help: 'Select the column that `custom_claim_fields` names.',
    },
    TOK_UNFIT: {
      status: 422,
      title: 'No token possible',
      message: 'The claims do not fit into a token.',
      help: 'A token holds at most 8 KiB; put an identifier into it rather than the whole row.',
    },
  },
  examples: [
    {
      title: 'Sign-in: a day, with two claims',
      json: {
        tokenize: {
          type: 'JWT',
          expiration: 86_400,
          encryption_key: '$ENV.EXAMPLE_KEY',
          custom_claim_fields: ['id', 'name'],
        },
      },
    },
    {
      title: 'Half an hour, only for setting a new password',
      json: {
        tokenize: {
          type: 'JWT',
          expiration: 1800,
          encryption_key: '$ENV.EXAMPLE_KEY',
          custom_claim_fields: ['id'],
          purpose: 'password-reset',
        },
      },
    },
    {
      title: 'Encrypted, in a property of its own',
      json: { tokenize: { type: 'PASETO', encryption_key: '$ENV.EXAMPLE_KEY', property_name: 'access_token' } },
    },
  ],
  counterExamples: [
    {
      title: 'Unknown type',
      json: { tokenize: { type: 'JWE', encryption_key: '$ENV.EXAMPLE_KEY' } },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/tokenize/type',
    },
    {
      title: 'A purpose with blanks',
      json: { tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY', purpose: 'Reset of passwords' } },
      code: 'DEF_FORMAT',
      at: '/tokenize/purpose',
    },
    { title: 'No key', json: { tokenize: { type: 'JWT' } }, code: 'DEF_REQUIRED', at: '/tokenize' },
    {
      title: 'A lifetime as text',
      json: { tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY', custom_claim_fields: ['exp'] } },
      code: 'TOK_CLAIM_RESERVED',
      at: '/tokenize/custom_claim_fields/0',
    },
  ],
});

/** Where the guard names an issuer, another system may issue; a key pair has two names. */
function getTokenKeys({ value, holder, facts }: Parameters<NonNullable<PluginSpec['getTokenKeys']>>[0]) {
  const settings = isObject(value['tokenize']) ? value['tokenize'] : {};
  const guard = isObject(holder['protected']) ? holder['protected'] : null;
  const { type = null, encryption_key: key = null } = settings;
  const algorithm = asText(settings['algorithm'] ?? facts('token', asText(type))?.algorithm ?? null);
  const isPair = !/^(HS\d+|.*local)$/.test(algorithm);
  const isOthers = isPair || [settings, guard].some((one) => one?.['issuer'] !== undefined);
  return {
    sort: JSON.stringify([type, algorithm]),
    gives: canIssueTokens(holder) ? asText(key) : null,
    takes: guard === null || isOthers ? null : asText(key),
    at: '/tokenize/encryption_key',
  };
}

/** A token is added only to an object result; any other result is rejected. */
function describeApi({ value, holder }: ApiPlace): ApiPart {
  if (!canIssueTokens(holder)) return { refuses: [], repeatable: true };
  const settings = isObject(value['tokenize']) ? value['tokenize'] : {};
  const property = asText(settings['property_name'] ?? DEFAULT_PROPERTY);
  const token: JsonSchema = { type: 'string', description: `A token (${asText(settings['type'])}).` };
  const addToken = (form: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { ...getProperties(form), [property]: token },
    required: [...listRequired(form).filter((name) => name !== property), property],
  });
  const addTokenToForms = (forms: Forms): Forms =>
    forms.filter((form) => isObjectSchema(form) || isAny(form)).map(addToken);
  return {
    changes: [{ phase: ResourcePhase.REPLY, order: 100, change: addTokenToForms }],
    answers: { 'cache-control': '`no-store`.' },
    notes: [`Gives out a token in \`${property}\`.`],
  };
}

const toTextList = (json: Json | undefined): readonly string[] =>
  Array.isArray(json) ? (json as readonly Json[]).map(asText) : [];

const STANDARD = ['iss', 'aud', 'exp', 'iat', 'jti'];

function describeIssued({ value, holder }: Pick<CheckPlace, 'value' | 'holder'>): IssuedCredentials | null {
  const settings = value['tokenize'];
  if (!isObject(settings) || !canIssueTokens(holder)) return null;
  const { custom_claim_fields: fields, purpose, issuer = asText(holder['id']) } = settings;
  const own = toTextList(fields);
  const named = purpose === undefined || purpose === ACCESS ? [] : [PURPOSE_CLAIM];
  return { claims: own, standard: [...STANDARD, ...named], marks: { ...settings, issuer } };
}

const RESERVED: ReadonlySet<string> = new Set([...STANDARD, 'nbf', PURPOSE_CLAIM]);

function check({ value, holder, actions, secrets, isSecretName, nearest }: CheckPlace): Finding[] {
  const settings = isObject(value['tokenize']) ? value['tokenize'] : {};
  if (!canIssueTokens(holder)) return [];
  const claims = toTextList(settings['custom_claim_fields']);
  const absent = createAbsenceCheck(holder, actions);
  const isUnnamed = createSecretCheck(holder, actions, secrets);
  const isSecret = (path: string): boolean => isUnnamed(path) || isSecretName(path);
  const found = claims.flatMap((claim, i) => {
    const wrong = checkClaim(claim, i, isSecret);
    if (wrong.length > 0 || !absent(claim)) return wrong;
    const names = actions.flatMap(({ answers }) => answers ?? []);
    // `user_id` probably means the `id` of the row.
    const near = nearest(claim, names) ?? names.find((name) => claim.endsWith(`_${name}`));
    const text = JSON.stringify(near);
    const fix =
      near === undefined || claims.includes(near)
        ? {}
        : { fix: { title: `change to ${text}`, text, asks: true as const } };
    return [{ code: 'TOK_CLAIM_ABSENT', at: `/tokenize/custom_claim_fields/${i}`, params: { name: claim }, ...fix }];
  });
  return [...found, ...checkResult(holder, actions)];
}

/** Claims that certainly no result has; false where names are unknown. */
function createAbsenceCheck(holder: CheckPlace['holder'], actions: CheckPlace['actions']): (claim: string) => boolean {
  const list = Array.isArray(holder['actionables']) ? (holder['actionables'] as readonly Json[]) : [];
  const known = new Set(listMadeNames(holder));
  if (known.has(ELSEWHERE)) return () => false;
  for (const { index, answers } of actions) {
    const written = list[index];
    if (answers === null || !isObject(written)) return () => false;
    const kept = Array.isArray(written['returnables']) ? (written['returnables'] as readonly Json[]).map(asText) : null;
    for (const name of answers) if (kept === null || kept.some((one) => getRootName(one) === name)) known.add(name);
  }
  return (claim) => !known.has(getRootName(claim));
}

/** Checks claims against the results, by name alone where one is of another resource. */
function createSecretCheck(
  holder: CheckPlace['holder'],
  actions: CheckPlace['actions'],
  secrets: CheckPlace['secrets'],
): (path: string) => boolean {
  const made = listMadeNames(holder);
  const isNamed = (path: string): boolean => secrets.has(path) || path.split('.').some((name) => secrets.has(name));
  const open = actions.flatMap(({ openSecrets }) => openSecrets.map((one) => one.path));
  const isOpen = (path: string): boolean =>
    open.some((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
  if (made.includes(ELSEWHERE)) return (path) => isNamed(path) || isOpen(path);
  return (path) =>
    isOpen(path) ||
    actions.some((action) => action.isSecret(path)) ||
    (made.includes(getRootName(path)) && isNamed(path));
}

const getRootName = (name: string): string => name.split('.')[0] ?? name;

/** Placeholder for names from actionables of other resources. */
const ELSEWHERE = '*';

function listMadeNames(json: Json): string[] {
  if (Array.isArray(json)) return (json as readonly Json[]).flatMap(listMadeNames);
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, value]) => {
    if (typeof value !== 'string') return listMadeNames(value);
    if (key === 'resource_id' && value !== 'self') return [ELSEWHERE];
    return key === 'for' ? [value] : [];
  });
}

function checkClaim(path: string, index: number, isSecret: (path: string) => boolean): Finding[] {
  const at = `/tokenize/custom_claim_fields/${index}`;
  const segments = path.split('.');
  const [name = path] = segments;
  if (RESERVED.has(name)) {
    const what = 'the service or its standard gives it a meaning';
    return [{ code: 'TOK_CLAIM_RESERVED', at, params: { name, what } }];
  }
  const poison = segments.find((segment) => POISON_KEYS.has(segment));
  if (poison !== undefined) {
    return [
      { code: 'TOK_CLAIM_RESERVED', at, params: { name: poison, what: 'the name would reach into the runtime' } },
    ];
  }
  return isSecret(path) ? [{ code: 'TOK_CLAIM_SECRET', at, params: { name: path } }] : [];
}

/** Checks of the main result that are possible before runtime. */
function checkResult(holder: CheckPlace['holder'], actions: CheckPlace['actions']): Finding[] {
  const main = actions.find((action) => action.main) ?? actions.filter((action) => !action.noOp).at(-1);
  const list = holder['actionables'];
  const written = main && Array.isArray(list) ? (list as readonly Json[])[main.index] : undefined;
  if (main === undefined || !isObject(written)) return [];
  const what = describeShape(written);
  return what === null ? [] : [{ code: 'TOK_RESULT', at: `/actionables/${main.index}/id`, params: { what } }];
}

function describeShape(action: Readonly<Record<string, Json>>): string | null {
  const { mode, result, value } = action;
  const isMulti = Object.values(action).some((field) => isObject(field) && field['multi'] === true);
  if (result === 'many' || isMulti || mode === 'UPLOAD') return 'a list';
  if (mode !== 'RETURN' || value === undefined || value === null) return null;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return listAccessors(value).length === 0 ? 'text' : null;
  return isObject(value) ? null : `a ${typeof value}`;
}
