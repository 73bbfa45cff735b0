/** Shared by several verifiers. Headers are written as accessors but used as names, because every value is checked. */
import type { ApiPart, ApiPlace } from '../../../contract/api.js';
import { text, value } from '../../../contract/combinators.js';
import type { FieldMeta } from '../../../contract/field-meta.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { asText } from '../../../contract/json.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import { findKeyFlaw, getVariableName } from '../../tokens/shared/keys.light.js';

const PATHS = ['signed', 'unsigned'] as const;

const HEADER = /^\$HEADER\.(?![iI][pP]$)[A-Za-z0-9_-]+$/;

export const createHeaderField = (doc: string, example: string) =>
  text({ doc, examples: [example], roots: ['HEADER'] })
    .required()
    .matches(HEADER);

const SECRET = { say: 'the secret is `"secret_key": "$ENV.<NAME>"`', rename: 'secret_key' };
/** Common mistakes in field names of a verifier; `header` is the correct name. */
export const createFieldMistakes = (header: string, other: string) => {
  const right = { say: `the header is \`"${header}": "$HEADER.<name>"\``, rename: header };
  return {
    [other]: right,
    header: right,
    header_name: right,
    signature_header: right,
    token_header: right,
    secret: SECRET,
    key: SECRET,
    token: SECRET,
    secret_token: SECRET,
    signing_secret: SECRET,
  };
};

export const createSettingField = (doc: string, meta: Omit<FieldMeta, 'doc'>) =>
  value(text({ doc, ...(meta.form !== undefined && { form: meta.form }) }).required(), {
    doc,
    roots: ['ENV'],
    ...meta,
  }).required();

export const secretField = createSettingField('The secret that both sides know. Keep it in the environment.', {
  secret: true,
  purpose: 'webhooks',
  examples: ['$ENV.WEBHOOK_SECRET'],
});

/** For verifiers of the body: whether the path is signed too. */
export const pathField = text({
  doc: 'Whether the path is signed too. Required if the definition reads parameters of the path.',
  enumDocs: {
    signed: 'The sender signs the path with its query string as received here, a line feed, and the body.',
    unsigned:
      'The sender signs only the body. A request for one path is valid at others, so do not trust values of the path.',
  },
  examples: ['signed'],
}).oneOf(PATHS);

/** OpenAPI security scheme of the header that a verifier reads. */
export function describeHeaderScheme({ value }: ApiPlace, field: string, what: string): ApiPart {
  const name = /^\$HEADER\.(.+)$/.exec(asText(value[field]))?.[1]?.toLowerCase();
  if (name === undefined) return {};
  return { security: [{ name, scheme: { type: 'apiKey', in: 'header', name, description: what } }] };
}

export const describeSignedParts = (value: ApiPlace['value']): string =>
  value['path'] === 'signed' ? 'path and query string, a line feed and the body' : 'the body';

export const verifierErrors = {
  WHK_SETTING: {
    severity: 'error',
    title: 'Setting cannot be used',
    message: 'The {field} of {place} cannot be used: {what}.',
    help: 'A verifier with invalid settings would reject or accept every request, so the service does not start.',
  },
  WHK_PATH: {
    severity: 'error',
    title: 'Path is not signed',
    message:
      'The signature is over the body alone, and {names} of the path is read: a delivery for one path passes at another. Let the sender sign the path too (`"path": "signed"`), or read the value out of the body.',
    help: 'If the sender does not sign it, write `"path": "unsigned"`, and do not trust values of the path.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** Checks a literal secret; those from the environment are checked elsewhere. */
export function checkSecret({ value: { secret_key: written } }: CheckPlace): Finding[] {
  const key = asText(written);
  const what = getVariableName(key) === null && key !== '' && !isSampleSecret(key) ? findKeyFlaw(key) : null;
  if (what === null) return [];
  return [{ code: 'WHK_SETTING', at: '/secret_key', params: { field: '`secret_key`', place: 'this verifier', what } }];
}

/** A signature of the body does not cover values in the path. */
export function checkPath({ value, inPath }: CheckPlace): Finding[] {
  if (inPath.length === 0 || value['path'] !== undefined) return [];
  const names = inPath.map((name) => `":${name}"`).join(', ');
  const fix = {
    title: 'require a signed path: "path": "signed"',
    edits: [{ at: '/path', put: 'signed' }],
    asks: true as const,
  };
  return [{ code: 'WHK_PATH', at: '', params: { names }, fix }];
}
