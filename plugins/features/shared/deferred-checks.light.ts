/** What cannot be deferred, results that no caller would see, and secrets that must not be stored. Pure. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { Slot } from '../../../contract/slot.js';
import { canIssueTokens } from './issues-tokens.light.js';
import { isImmediate, splitDeferred, type DeferredSplit } from './deferred-parts.light.js';
import { findStoredSecrets } from './deferred-secrets.light.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

/** `field`: the feature's. Of two features in one place, the first reports. */
export function checkDeferred(place: CheckPlace, field: string): Finding[] {
  const split = splitDeferred(place);
  return place.slot === Slot.RESOURCE ? checkResource(place, split) : checkAction(place, field, split);
}

function checkResource(place: CheckPlace, split: DeferredSplit): Finding[] {
  const waiting = split.later.filter(({ own }) => !own);
  return [
    ...checkResponse(place, split),
    ...waiting.flatMap(({ index, action }) => {
      const at = `/actionables/${index}`;
      return [...checkConditions(action, at), ...findStoredSecrets(place, split, action, at)];
    }),
  ];
}

function checkAction(place: CheckPlace, field: string, split: DeferredSplit): Finding[] {
  const { holder, root, facts } = place;
  if (holder['no_op'] === true) return [{ code: 'LTR_NO_OP', at: `/${field}`, key: true }];
  if (isImmediate(holder, facts)) {
    const at = `/${field}`;
    return [{ code: 'LTR_FILES', at, key: true, params: { mode: asText(holder['mode']) }, ...createRemovalFix(at) }];
  }
  const actions: readonly Json[] = Array.isArray(root['actionables']) ? (root['actionables'] as readonly Json[]) : [];
  const here = actions.findIndex((action) => isObject(action) && action['id'] === holder['id']);
  if (!split.later.some(({ index }) => index === here)) return [];
  const main =
    holder['main_returnable'] === true
      ? [{ code: 'LTR_MAIN', at: '/main_returnable', key: true as const, ...createRemovalFix('/main_returnable') }]
      : [];
  return [...main, ...checkConditions(holder, ''), ...findStoredSecrets(place, split, holder, '')];
}

/** Conditions that would be evaluated after the response. */
function checkConditions(action: JsonObject, at: string): Finding[] {
  const findings: Finding[] = [];
  const { verify_hashables: verified } = action;
  if (Array.isArray(verified) && verified.length > 0) {
    findings.push({ code: 'LTR_VERIFY', at: `${at}/verify_hashables`, key: true });
  }
  const empty = action['on_empty'];
  // A quiet stop is no failure.
  if (action['must_return_value'] === true && !(isObject(empty) && empty['stop'] === true))
    findings.push({ code: 'LTR_UNSEEN', at: `${at}/must_return_value`, key: true });
  return findings;
}

/** Fields of the resource that promise a response. */
function checkResponse({ root, holder }: CheckPlace, { accepted }: DeferredSplit): Finding[] {
  if (!accepted) return [];
  const findings: Finding[] = [];
  if (root['tokenize'] !== undefined && canIssueTokens(root)) {
    findings.push({ code: 'LTR_TOKEN', at: '/tokenize', key: true });
  }
  const { cacheable, returnables } = holder;
  if (isObject(cacheable) && cacheable['read_from_cache'] === true) {
    findings.push({ code: 'LTR_CACHE', at: '/cacheable/read_from_cache' });
  }
  if (Array.isArray(returnables) && returnables.length > 0) {
    const at = '/returnables';
    findings.push({ code: 'LTR_ANSWER', at, key: true, params: { what: 'these names' }, ...createRemovalFix(at) });
  }
  return findings;
}
