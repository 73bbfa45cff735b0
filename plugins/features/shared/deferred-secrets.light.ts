/**
 * Secrets that deferred work would store in the queue: payload fields, named values, and credential headers. Values
 * that the work itself seals are allowed.
 */
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { toObjects, type DeferredSplit } from './deferred-parts.light.js';
import { QUEUE_KEY, QUEUE_KEY_BYTES } from '../../queues/shared/key.light.js';

const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];
const LIKE_A_SECRET = /^(.+[_-])?(password|passwd|passphrase|passcode|secret|cvv|cvc)$/i;

interface Text {
  readonly text: string;
  readonly at: string;
  /** An entry of a parameter list, where a bare name is a value. */
  readonly bare: boolean;
}

interface Read {
  readonly name: string;
  readonly at: string;
  readonly span?: readonly [number, number];
}

/** `at`: pointer of the actionable relative to the place. */
export function findStoredSecrets(place: CheckPlace, split: DeferredSplit, action: JsonObject, at: string): Finding[] {
  const texts = collectTexts(action, at, false);
  const fields = texts.flatMap((text) => findFields(text));
  const checkRead = createReadCheck(place, split);
  const read = fields.flatMap((one) => checkRead(one));
  const reached = findReachedSecrets(place, split, action, at);
  return [
    ...texts.flatMap((text) => findCredentials(text, place.root)),
    ...read,
    ...reached.filter((one) => !read.some((other) => other.at === one.at)),
    ...findExtractedSecrets(place, split, action, at),
    ...findNotedSecrets(place, split, action, at),
  ];
}

function findCredentials(text: Text, root: JsonObject): Finding[] {
  const guard = root['protected'];
  const provided = isObject(guard) ? asText(guard['provide_as']).toLowerCase() : '';
  return findHeaders(text).flatMap(({ name, ...where }) =>
    name !== '' && [...CREDENTIALS, provided].includes(name.toLowerCase())
      ? [{ code: 'LTR_CREDENTIAL', ...where, params: { name } }]
      : [],
  );
}

/** A name that the work extracts itself is checked at its extraction. */
function createReadCheck(place: CheckPlace, { later, now }: DeferredSplit): (read: Read) => Finding[] {
  const all = toObjects(place.root['actionables']);
  const own = listOwnNames(place, later);
  const before = all.filter((_, index) => now.has(index)).flatMap((action) => listExtractions(action, place.root));
  const given = before.map((one) => one.name).filter((name) => !own.includes(name));
  const taken = before.filter(({ path }) => isSecret(path, place.secrets)).map((one) => one.name);
  const secrets = new Set([...place.secrets, ...taken]);
  // A named value is set after payload values are sealed.
  const sealed = later
    .flatMap((one) => listSealed(one.action))
    .filter((name) => !given.some((one) => isWithin(name, one)));
  return (read) =>
    read.name !== '' && own.some((one) => isWithin(read.name, one)) ? [] : checkRead(read, place, secrets, sealed);
}

/** Names that deferred work extracts itself, so that they are not stored. */
const listOwnNames = ({ root }: CheckPlace, later: DeferredSplit['later']): readonly string[] =>
  later.flatMap(({ action }) => listExtractions(action, root).map((one) => one.name));

/** Secrets of results, also of other resources, that are named before the response. */
function findReachedSecrets(place: CheckPlace, { later }: DeferredSplit, action: JsonObject, at: string): Finding[] {
  const what = findQueueKeyFlaw(place);
  const here = later.find((one) => one.action['id'] === action['id']);
  const known = place.actions.find(({ index }) => index === here?.index);
  if (what === null || known === undefined) return [];
  const own = listOwnNames(place, later);
  return known.secretReads.flatMap(({ at: pointer, name, root }) =>
    own.includes(root) ? [] : [{ code: 'LTR_KEY', at: `${at}${pointer}`, params: { name, variable: QUEUE_KEY, what } }],
  );
}

/** Results from before the response are stored for deferred work, without the secrets that responses omit. */
function findExtractedSecrets(place: CheckPlace, { now }: DeferredSplit, action: JsonObject, at: string): Finding[] {
  const all = toObjects(place.root['actionables']);
  const what = findQueueKeyFlaw(place);
  return listExtractions(action, place.root).flatMap(({ path, pointer, from }): Finding[] => {
    const done = [...now].filter((index) => from.includes(all[index]?.['id'] ?? null));
    const where = { at: `${at}${pointer}` };
    if (done.length > 0 && isSecret(path, place.secrets))
      return [{ code: 'LTR_SECRET', ...where, params: { name: path } }];
    const [name] = done.flatMap((index) => findOpenSecrets(place, index, path));
    return name === undefined || what === null
      ? []
      : [{ code: 'LTR_KEY', ...where, params: { name, variable: QUEUE_KEY, what } }];
  });
}

/** Secrets under names that responses do not omit, at the path or below it. */
function findOpenSecrets({ actions }: CheckPlace, index: number, path: string): string[] {
  const open = actions.find((one) => one.index === index)?.openSecrets ?? [];
  return open.flatMap((one) =>
    path === 'self_' || isWithin(one.path, path) || isWithin(path, one.path) ? [one.name] : [],
  );
}

/** Results of a finished step are stored for later ones, except those that can run again. */
function findNotedSecrets(place: CheckPlace, { later }: DeferredSplit, action: JsonObject, at: string): Finding[] {
  const what = findQueueKeyFlaw(place);
  if (what === null) return [];
  const made = later.filter((one) => !isReadOnly(one.action));
  return listExtractions(action, place.root).flatMap(({ path, pointer, from }) => {
    const [name] = made.flatMap((one) =>
      from.includes(one.action['id'] ?? null) ? findHeldSecrets(place, one.index, path) : [],
    );
    return name === undefined
      ? []
      : [{ code: 'LTR_KEY', at: `${at}${pointer}`, params: { name, variable: QUEUE_KEY, what } }];
  });
}

/** The secret that is extracted; for a whole result, its secret names. */
function findHeldSecrets(place: CheckPlace, index: number, path: string): string[] {
  const { actions, secrets } = place;
  const open = findOpenSecrets(place, index, path);
  if (path !== 'self_') return isSecret(path, secrets) ? [path] : open;
  const source = actions.find((one) => one.index === index);
  return [...(source?.answers ?? source?.names ?? []).filter((name) => secrets.has(name)), ...open];
}

const READING = /^(?:SELECT|FETCH|FETCH_ONE|COUNT|AGGREGATE)$/;

const isReadOnly = (action: JsonObject): boolean =>
  Object.values(action).some(
    (part) =>
      isObject(part) &&
      READING.test(typeof part['query'] === 'string' ? scanSql(part['query']).verb : asText(part['action'])),
  );

function checkRead(
  { name, ...where }: Read,
  place: CheckPlace,
  secrets: ReadonlySet<string>,
  sealed: readonly string[],
): Finding[] {
  const names = name === '' ? listDeclared(place.root) : [name];
  const what = findQueueKeyFlaw(place);
  const secret = names.find((one) => isSecret(one, secrets) || isSealed(one, sealed));
  if (secret !== undefined) {
    return what === null ? [] : [{ code: 'LTR_KEY', ...where, params: { name: secret, variable: QUEUE_KEY, what } }];
  }
  if (what === null && place.env(QUEUE_KEY) !== null) return [];
  const likely = names.find((one) => LIKE_A_SECRET.test(getLastSegment(one)) && !isSealed(one, sealed));
  return likely === undefined ? [] : [{ code: 'LTR_CLEAR', ...where, params: { name: likely } }];
}

/** Why the queue encryption key cannot be used; null where it can, or is unknown. */
function findQueueKeyFlaw({ env, isSet }: CheckPlace): string | null {
  if (!isSet(QUEUE_KEY)) return 'is not set';
  const fact = env(QUEUE_KEY);
  if (fact === null || fact.hasBytes(QUEUE_KEY_BYTES)) return null;
  return `has ${fact.bytes} bytes and needs at least ${QUEUE_KEY_BYTES}`;
}

const getLastSegment = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

/** The name itself, a nested path, or an enclosing path. */
export const isSecret = (name: string, secrets: ReadonlySet<string>): boolean =>
  secrets.has(getLastSegment(name)) || [...secrets].some((secret) => isWithin(secret, name) || isWithin(name, secret));

const isSealed = (name: string, sealed: readonly string[]): boolean =>
  sealed.some((one) => isWithin(one, name) || isWithin(name, one));

/** Values that it hashes or encrypts itself, before anything is stored. */
function listSealed(action: JsonObject): string[] {
  const hashed = toObjects(action['hashables']).map(({ property }) => asText(property));
  const encrypted = toObjects(action['ciphers']).flatMap(({ operation, properties }) =>
    operation === 'Encrypt' && Array.isArray(properties) ? (properties as readonly Json[]).map(asText) : [],
  );
  return [...hashed, ...encrypted];
}

/** A value extracted from a result under a name. */
interface Extraction {
  readonly path: string;
  readonly name: string;
  readonly pointer: string;
  /** Ids of the actionables of this resource that may provide it. */
  readonly from: readonly Json[];
}

/**
 * Extractions of its dependencies and its own; on an actionable they refer to all dependencies or, without any, its
 * own result.
 */
export function listExtractions(action: JsonObject, root: JsonObject): Extraction[] {
  const read = (holder: JsonObject, pointer: string, from: readonly Json[]): Extraction[] =>
    toObjects(holder['extract_response_for']).map((one, i) => ({
      path: asText(one['extract']),
      name: asText(one['for']),
      pointer: `${pointer}/extract_response_for/${i}/extract`,
      from,
    }));
  const listIds = ({ resource_id: resource, action_ids: ids }: JsonObject): readonly Json[] =>
    Array.isArray(ids) && (resource === 'self' || resource === root['id']) ? (ids as readonly Json[]) : [];
  const depends = toObjects(action['depends_on']);
  const own = depends.length > 0 ? depends.flatMap(listIds) : [action['id'] ?? null];
  return [...read(action, '', own), ...depends.flatMap((one, i) => read(one, `/depends_on/${i}`, listIds(one)))];
}

/** Fields that rules declare, which `$PAYLOAD` as a whole certainly contains. */
const listDeclared = (root: JsonObject): string[] =>
  toObjects(root['actionables']).flatMap(({ payload_validation: rules }) =>
    toObjects(rules).flatMap(({ field }) => (isObject(field) ? Object.keys(field) : [])),
  );

function collectTexts(json: Json, at: string, bare: boolean): Text[] {
  if (typeof json === 'string') return [{ text: json, at, bare }];
  if (Array.isArray(json))
    return (json as readonly Json[]).flatMap((item, i) => collectTexts(item, `${at}/${i}`, bare));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, inner]) =>
    // These keys name fields to seal or to extract; they do not read values.
    SEALS.has(key) ? [] : collectTexts(inner, `${at}/${escapePointer(key)}`, key === 'parameters'),
  );
}
const SEALS: ReadonlySet<string> = new Set(['hashables', 'ciphers', 'payload_validation', 'depends_on']);

const findHeaders = ({ text, at }: Text): Read[] =>
  listAccessors(text).flatMap(({ root, tail, start, end }) =>
    root === 'HEADER' ? [{ name: tail.join('.'), at, span: [start, end] as const }] : [],
  );

/** Payload fields or named values; `$PAYLOAD` as a whole has an empty name. */
function findFields({ text, at, bare }: Text): Read[] {
  const parts = listAccessors(text);
  if (parts.length === 0) return bare && /^[A-Za-z_][\w.-]*$/.test(text) ? [{ name: text, at }] : [];
  return parts.flatMap(({ root, tail, start, end }) =>
    root === 'PAYLOAD' ? [{ name: tail.join('.'), at, span: [start, end] as const }] : [],
  );
}
