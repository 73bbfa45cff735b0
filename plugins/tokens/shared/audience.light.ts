/** Issuer, audience and purpose of tokens in `tokenize` and `protected`: fields, and what a guard requires. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { CheckPlace } from '../../../contract/plugin.js';
import { either, list, text, value } from '../../../contract/combinators.js';

/** The default purpose; it is not written into tokens. */
export const ACCESS = 'access';

export const PURPOSE_CLAIM = 'purpose';

const NAME = text({ doc: 'The name itself.' }).min(1).max(256);
const OF_NAMES = { roots: ['ENV'], purpose: 'names in tokens', advanced: true } as const;

const createNameField = (doc: string, example: string) => value(NAME, { ...OF_NAMES, doc, examples: [example] });

/** One name, or a list of alternatives. */
const createNamesField = (doc: string, example: string) =>
  value(either([NAME, list(createNameField(doc, example).required(), { doc }).min(1).max(20)], { doc }), {
    ...OF_NAMES,
    doc,
    examples: [example, [example, 'https://login.example.com/']],
  });

const createPurposeField = (doc: string) =>
  text({ doc, default: ACCESS, examples: ['password-reset'] })
    .matches(/^[a-z][a-z0-9_-]*$/)
    .max(64);

export const issuedFields = {
  issuer: createNameField('Issuer of tokens (claim `iss`). Default: the `id` of the resource.', 'shop'),
  audience: createNameField('Audience of tokens (claim `aud`). Default: all guards with the same key.', 'admin'),
  purpose: createPurposeField('What tokens are for (extension). They open resources of this purpose, and no others.'),
};

export const demandedFields = {
  issuer: createNamesField(
    'Takes only tokens of this issuer (claim `iss`), or of one of a list.',
    'https://login.example.com/',
  ),
  audience: createNamesField('Takes only tokens for this audience (claim `aud`), or for one of a list.', 'admin'),
  purpose: createPurposeField('Takes only tokens that were made for this purpose (extension).'),
};

/** What a guard requires, as written; lists in their order. Null: any. */
export interface TokenRequirements {
  readonly issuers: readonly string[] | null;
  readonly audiences: readonly string[] | null;
  readonly purpose: string;
}

/** `protected` takes precedence over `tokenize`. */
export function resolveRequirements(guard: Json | undefined, tokenize: Json | undefined): TokenRequirements {
  const [own, around] = [guard, tokenize].map((json) => (isObject(json) ? json : {}));
  const readField = (field: string): Json | undefined => own?.[field] ?? around?.[field];
  const requested = readField('purpose');
  return {
    issuers: toNames(readField('issuer')),
    audiences: toNames(readField('audience')),
    purpose: typeof requested === 'string' ? requested : ACCESS,
  };
}

export function toNames(json: Json | undefined): readonly string[] | null {
  if (json === undefined) return null;
  const items = Array.isArray(json) ? (json as readonly Json[]) : [json];
  return items.flatMap((item) => (typeof item === 'string' ? [item] : []));
}

/** Null where the guard has no requirements beyond the key. */
export function describeRequirements({ issuers, audiences, purpose: requested }: TokenRequirements): Json {
  if (issuers === null && audiences === null && requested === ACCESS) return null;
  return { issuers: sortNames(issuers), audiences: sortNames(audiences), purpose: requested };
}

const sortNames = (names: readonly string[] | null): Json => (names === null ? null : [...new Set(names)].sort());

/** What tokens are signed with, as written. */
export function listSigningSettings(tokenize: Json | undefined, facts: CheckPlace['facts']): readonly Json[] {
  const { type = null, algorithm = null, encryption_key: key = null } = isObject(tokenize) ? tokenize : {};
  return [type, algorithm ?? facts('token', asText(type))?.algorithm ?? '', key];
}

/** Whether a guard accepts tokens issued with these settings; null where environment values decide. */
export function canAcceptIssued(
  { issuers, audiences, purpose: requested }: TokenRequirements,
  { issuer, audience, purpose: given }: Readonly<Record<string, Json>>,
): boolean | null {
  if ((given ?? ACCESS) !== requested) return false;
  // Without audiences, tokens and guards of one key match.
  const isOpen = audiences === null && audience === undefined;
  return combineAnswers(
    issuers === null ? true : isAmong(issuer, issuers),
    isOpen ? true : isAmong(audience, audiences ?? []),
  );
}

const combineAnswers = (a: boolean | null, b: boolean | null): boolean | null =>
  a === false || b === false ? false : a && b;

function isAmong(name: Json | undefined, names: readonly string[]): boolean | null {
  if (typeof name !== 'string') return false;
  if (names.includes(name)) return true;
  return names.length > 0 && [name, ...names].some((one) => one.startsWith('$')) ? null : false;
}
