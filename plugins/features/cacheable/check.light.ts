/** Checks of `cacheable`: work that a cached result would skip, and results that must not be cached. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { scanSql } from '../../../language/strings/sql.js';
import { Slot } from '../../../contract/slot.js';
import { issuesTokens } from '../shared/issues-tokens.light.js';
import { removing } from '../../shared/field-removal.light.js';

type Written = Readonly<Record<string, Json>>;

const list = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? (json as readonly Json[]) : []);

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
    return isEmpty ? [{ code: 'CCH_NOTHING', at: '/cacheable', ...removing('/cacheable') }] : findings;
  }
  const findings: Finding[] = [];
  if (cacheable['duration'] === undefined) findings.push({ code: 'CCH_NO_DURATION', at });
  if (slot === Slot.RESOURCE && root['tokenize'] !== undefined && issuesTokens(root)) {
    findings.push({ code: 'CCH_TOKEN', at });
  }
  const covered = slot === Slot.RESOURCE ? list(holder['actionables']).filter(isObject) : [holder];
  if (slot === Slot.RESOURCE && root['invalidate_tokenize'] !== undefined) findings.push({ code: 'CCH_REVOKES', at });
  const doer = covered.find((action) => writes(action) || tells(action));
  if (doer !== undefined) findings.push({ code: 'CCH_WRITES', at, params: { id: idOf(doer) } });
  const opener = covered.find(opens);
  if (opener !== undefined) findings.push({ code: 'CCH_CLEAR', at, params: { id: idOf(opener) } });
  if (slot === Slot.ACTIONABLE && splits(holder, root)) findings.push({ code: 'CCH_SPLITS', at });
  return findings;
}

const idOf = ({ id }: Written): string => (typeof id === 'number' ? String(id) : asText(id));

/** True for statements other than SELECT or VALUES, and for uploads. */
function writes(action: Written): boolean {
  if (action['mode'] === 'UPLOAD') return true;
  return Object.values(action)
    .filter(isObject)
    .some(({ query }) => typeof query === 'string' && !['SELECT', 'VALUES', ''].includes(scanSql(query).verb));
}

const opens = ({ ciphers }: Written): boolean =>
  list(ciphers).some((one) => isObject(one) && one['operation'] === 'Decrypt');

/** Fields with side effects outside the database. */
const TOLD = ['broadcast_websocket_message', 'queue', 'run_in_background'];
const tells = (action: Written): boolean => TOLD.some((field) => Object.hasOwn(action, field));

/** A cached actionable between two writes splits their shared transaction into two. */
function splits(holder: Written, root: Written): boolean {
  if (root['transaction'] === false) return false;
  const actions = list(root['actionables']).filter(isObject);
  const here = actions.findIndex((action) => action === holder || action['id'] === holder['id']);
  return here !== -1 && actions.slice(0, here).some(writes) && actions.slice(here + 1).some(writes);
}
