/** Work that a cached result would skip, and results that must not be cached. */
import { asText, isObject, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { Slot } from '../../../contract/slot.js';
import { toObjects } from '../shared/deferred-parts.light.js';
import { listExtractions } from '../shared/deferred-secrets.light.js';
import { canIssueTokens } from '../shared/issues-tokens.light.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

type CachedAction = JsonObject;

export function checkCache({ value, holder, root, slot }: CheckPlace): Finding[] {
  const cacheable = isObject(value['cacheable']) ? value['cacheable'] : {};
  const at = '/cacheable/read_from_cache';
  if (cacheable['read_from_cache'] !== true) {
    const idle = ['cache_key', 'duration'].filter((field) => Object.hasOwn(cacheable, field));
    const findings: Finding[] = idle.map((field) => ({
      code: 'CCH_NOT_READ',
      at: `/cacheable/${field}`,
      params: { field },
      fix: { title: 'add "read_from_cache": true', edits: [{ at, put: true }], asks: true },
    }));
    const isEmpty = idle.length === 0 && cacheable['invalidate_cache_keys'] === undefined;
    return isEmpty ? [{ code: 'CCH_NOTHING', at: '/cacheable', ...createRemovalFix('/cacheable') }] : findings;
  }
  const findings: Finding[] = [];
  if (cacheable['duration'] === undefined) findings.push({ code: 'CCH_NO_DURATION', at });
  if (slot === Slot.RESOURCE && root['tokenize'] !== undefined && canIssueTokens(root)) {
    findings.push({ code: 'CCH_TOKEN', at });
  }
  const covered = slot === Slot.RESOURCE ? toObjects(holder['actionables']) : [holder];
  if (slot === Slot.RESOURCE && root['invalidate_tokenize'] !== undefined) findings.push({ code: 'CCH_REVOKES', at });
  const doer = covered.find((action) => isWrite(action) || hasSideEffects(action));
  if (doer !== undefined) findings.push({ code: 'CCH_WRITES', at, params: { id: getActionId(doer) } });
  const opener = covered.find(hasDecryption);
  if (opener !== undefined) findings.push({ code: 'CCH_CLEAR', at, params: { id: getActionId(opener) } });
  if (slot === Slot.ACTIONABLE && isBetweenWrites(holder, root)) findings.push({ code: 'CCH_SPLITS', at });
  const writer = slot === Slot.ACTIONABLE ? findWriterOf(holder, root) : undefined;
  if (writer !== undefined) findings.push({ code: 'CCH_WRITTEN', at, params: { id: getActionId(writer) } });
  return findings;
}

const getActionId = ({ id }: CachedAction): string => (typeof id === 'number' ? String(id) : asText(id));

/** True for statements other than SELECT or VALUES, and for uploads. */
function isWrite(action: CachedAction): boolean {
  if (action['mode'] === 'UPLOAD') return true;
  return Object.values(action)
    .filter(isObject)
    .some(({ query }) => typeof query === 'string' && !['SELECT', 'VALUES', ''].includes(scanSql(query).verb));
}

const hasDecryption = ({ ciphers }: CachedAction): boolean =>
  toObjects(ciphers).some((one) => one['operation'] === 'Decrypt');

/** Fields with side effects outside the database. */
const SIDE_EFFECTS = ['broadcast_websocket_message', 'queue', 'run_in_background'];
const hasSideEffects = (action: CachedAction): boolean => SIDE_EFFECTS.some((field) => Object.hasOwn(action, field));

/** A statement of the resource that extracts values of this result. */
const findWriterOf = ({ id = null }: CachedAction, root: CachedAction): CachedAction | undefined =>
  toObjects(root['actionables']).find(
    (action) => isWrite(action) && listExtractions(action, root).some(({ from }) => from.includes(id)),
  );

function isBetweenWrites(holder: CachedAction, root: CachedAction): boolean {
  if (root['transaction'] === false) return false;
  const actions = toObjects(root['actionables']);
  const here = actions.findIndex((action) => action['id'] === holder['id']);
  return here !== -1 && actions.slice(0, here).some(isWrite) && actions.slice(here + 1).some(isWrite);
}
