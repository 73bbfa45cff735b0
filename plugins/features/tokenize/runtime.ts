/**
 * Issues tokens: claims are read before `returnables` drops fields, and the token is added afterwards. Keys are
 * validated at load.
 */
import { randomUUID } from 'node:crypto';
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { compilePath, splitPath, writePath } from '../../../language/strings/path.js';
import { feature } from '../kind.js';
import { getIssuedClaims, createResourceTokens, type ResourceTokens } from '../shared/token-tool.js';
import { DEFAULT_PROPERTY, canIssueTokens } from '../shared/issues-tokens.light.js';

/** Seconds. */
const DEFAULT_EXPIRATION = 3600;

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value, holder }, tools) => {
      const issues = canIssueTokens(holder);
      const tokens = createResourceTokens(value['tokenize'], issues, tools, resolve);
      return { steps: issues ? createIssueSteps(tokens, tools) : [] };
    },
  }),
});

type Claims = Record<string, unknown>;

function createIssueSteps(tokens: ResourceTokens, tools: PlanTools): Step[] {
  const { tool, settings } = tokens;
  const marks = getIssuedClaims(tokens, tools);
  const take = createClaimsCollector(settings['custom_claim_fields'], tools);
  const property = asText(settings['property_name'] ?? DEFAULT_PROPERTY);
  const seconds = Number(settings['expiration'] ?? DEFAULT_EXPIRATION);
  const slot = tools.allocateSlot();
  // Columns of a row are always present; another missing claim rolls the transaction back.
  const columns = new Set(tools.columns.map(({ name }) => name));
  const isCertain = tools.lookupOrder.length < 2 && claimNames(settings).every((name) => columns.has(name));
  return [
    {
      id: 'claims',
      phase: ResourcePhase.REPLY,
      // After results are combined, before `returnables` selects fields.
      order: -50,
      ...(!isCertain && { undoes: true as const }),
      run: (frame, { result }) => {
        frame.slots[slot] = take(frame, result);
      },
    },
    {
      id: 'tokenize',
      phase: ResourcePhase.REPLY,
      order: 100,
      run: async (frame, state) => {
        const life = { now: frame.invocation.startedAt, seconds, id: randomUUID() };
        const issued = await tool.issueToken({ ...(frame.slots[slot] as Claims), ...marks }, life);
        frame.headers['cache-control'] = 'no-store';
        state.result = { ...(isObject(state.result) ? state.result : {}), [property]: issued };
      },
    },
  ];
}

const toTextList = (fields: Json | undefined): readonly string[] =>
  Array.isArray(fields) ? (fields as readonly Json[]).map(asText) : [];
const claimNames = (settings: ResourceTokens['settings']): readonly string[] =>
  toTextList(settings['custom_claim_fields']);

/** Looks in the main result, the others (latest first), then extracted names. */
function createClaimsCollector(fields: Json | undefined, tools: PlanTools): (frame: Frame, main: unknown) => Claims {
  const names = toTextList(fields);
  const others = tools.lookupOrder.slice(1);
  // A claim that is a whole row must not expose its secret fields in the token.
  const hide = createHider(tools.secrets, [], tools.conceals);
  const wanted = names.map((name) => {
    const path = splitPath(name);
    return { name, path, read: compilePath(path), slot: tools.slot(name) };
  });
  return (frame, main) => {
    if (main === null || main === undefined) throw createFault('TOK_NO_SUBJECT');
    if (!isObject(main)) throw createFault('TOK_NOT_OBJECT');
    const claims: Claims = {};
    for (const { name, path, read, slot } of wanted) {
      let value = read(main);
      for (let i = 0; value === undefined && i < others.length; i++) value = read(frame.results[others[i] ?? -1]);
      if (value === undefined && slot !== null) value = frame.slots[slot];
      if (value === undefined) throw createFault('TOK_CLAIM_MISSING', { name });
      writePath(claims, path, hide(value));
    }
    return claims;
  };
}
