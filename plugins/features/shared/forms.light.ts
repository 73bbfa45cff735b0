/** Names of all features of the interface, and common mistakes for them. Data only. */
import { Slot } from '../../../contract/slot.js';

const onBoth = (name: string) => ({ [Slot.RESOURCE]: [name], [Slot.ACTIONABLE]: [name] });
const onResource = (name: string) => ({ [Slot.RESOURCE]: [name] });
const onActionable = (name: string) => ({ [Slot.ACTIONABLE]: [name] });

/** A feature without a plugin is reported as missing, not as misspelled. */
export const EXPECTED = {
  tokenize: onResource('tokenize'),
  protected: onResource('protected'),
  webhook: onResource('webhook'),
  rate_limit: onResource('rate_limit'),
  invalidate_tokenize: onResource('invalidate_tokenize'),
  cacheable: onBoth('cacheable'),
  run_in_background: onBoth('run_in_background'),
  queue: onBoth('queue'),
  cron_job: onActionable('cron_job'),
  hashables: onActionable('hashables'),
  verify_hashables: onActionable('verify_hashables'),
  ciphers: onActionable('ciphers'),
  broadcast_websocket_message: onActionable('broadcast_websocket_message'),
};

const GUARD =
  'a token is required by `"protected": {"provide_as": "Authorization", "extract_claims": ["id"]}` next to `tokenize`';
const RETURNS = { say: 'the returned values are listed in `"returnables": ["id"]`', rename: 'returnables' };
const CACHING = 'caching is written `"cacheable": {"read_from_cache": true, "cache_key": "...", "duration": 60}`';
const CACHE = { say: CACHING, rename: 'cacheable' };
const RULES = {
  say: 'rules are written `"payload_validation": [{"field": {"email": {"type": "EMAIL"}}}]` on an actionable',
  rename: 'payload_validation',
};
const HASH = {
  say: 'hashing is written `"hashables": [{"property": "password", "algorithm": "BCRYPT"}]` on an actionable',
  rename: 'hashables',
};
const LIMIT = {
  say: 'a limit is written `"rate_limit": {"limit": 10, "identifier": "...", "expires_after": 60}`',
  rename: 'rate_limit',
};

/** Common mistakes that belong to no single plugin that is certainly loaded. */
const IN_BOTH = {
  returns: RETURNS,
  return: RETURNS,
  returnable: RETURNS,
  response: RETURNS,
  output: RETURNS,
  select: RETURNS,
  cache: CACHE,
  cache_key: CACHING,
  read_from_cache: CACHING,
  duration: CACHING,
  ttl: CACHING,
  hash: HASH,
  hashing: HASH,
  encrypt: {
    say: 'encryption is written `"ciphers": [{"operation": "Encrypt", ...}]` on an actionable',
    rename: 'ciphers',
  },
  validation: RULES,
  validate: RULES,
  rules: RULES,
};
const ROLES =
  'there are no roles: check the user of the token in the statement, `... AND EXISTS (SELECT 1 FROM _admin WHERE id = $2)` with `$PROTECTED.id`';
export const IN_RESOURCE = {
  ...IN_BOTH,
  auth: GUARD,
  authenticated: GUARD,
  authentication: GUARD,
  authorization: GUARD,
  authorize: GUARD,
  secured: GUARD,
  secure: GUARD,
  private: GUARD,
  requires_auth: GUARD,
  guard: GUARD,
  jwt: 'a token is issued by `"tokenize": {"type": "JWT", "encryption_key": "...", "custom_claim_fields": ["id"]}`',
  rateLimit: LIMIT,
  throttle: LIMIT,
  role: ROLES,
  roles: ROLES,
  permissions: ROLES,
  is_protected: GUARD,
};
const DEPENDS = {
  say: 'actionables that run first are listed in `"depends_on": [{"resource_id": "self", "action_ids": [1]}]`',
  rename: 'depends_on',
};
const EMPTY = {
  say: 'the response without a result is `"must_return_value": true, "on_empty": {"status": 404, "message": "..."}`',
  instead: { '*': '' },
};
const MAIN = { say: 'the main result is marked `"main_returnable": true`', rename: 'main_returnable' };
export const IN_ACTIONABLE = {
  ...IN_BOTH,
  depends: DEPENDS,
  dependencies: DEPENDS,
  requires: DEPENDS,
  after: DEPENDS,
  auth: 'whole resources are guarded: `protected` belongs to the resource, next to `actionables`',
  protected: 'whole resources are guarded: `protected` belongs to the resource, next to `actionables`',
  extract: 'values are named by `"extract_response_for": [{"extract": "balance", "for": "balance"}]`',
  main: MAIN,
  is_main: MAIN,
  skip: { say: 'an actionable that runs only for others has `"no_op": true`', rename: 'no_op' },
  on_error: EMPTY,
  error_message: EMPTY,
  if_empty: EMPTY,
};
