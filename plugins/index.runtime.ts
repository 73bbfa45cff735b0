/**
 * The only place where specs and runtimes of the distribution meet: id to a loader. Nothing is imported until a
 * definition or the config uses the plugin.
 */
import type { PluginId, PluginRuntime } from '../kernel/contract/plugin.js';

type Loader = () => Promise<{ readonly default: PluginRuntime<never> | PluginRuntime<unknown> }>;

const loaders: Readonly<Record<PluginId, Loader>> = {
  'accessor:DATETIME': () => import('./accessors/datetime/runtime.js'),
  'accessor:ENV': () => import('./accessors/env/runtime.js'),
  'accessor:GENERATOR': () => import('./accessors/generator/runtime.js'),
  'accessor:HEADER': () => import('./accessors/header/runtime.js'),
  'accessor:PAYLOAD': () => import('./accessors/payload/runtime.js'),
  'accessor:PROTECTED': () => import('./accessors/protected/runtime.js'),
  'cache:memory': () => import('./caches/memory/runtime.js'),
  'cache:redis': () => import('./caches/redis/runtime.js'),
  'dialect:pglite': () => import('./dialects/pglite/runtime.js'),
  'dialect:postgres': () => import('./dialects/postgres/runtime.js'),
  'envelope:success-message-data': () => import('./envelopes/success-message-data/runtime.js'),
  'feature:cacheable': () => import('./features/cacheable/runtime.js'),
  'feature:combine_returned_results_from': () => import('./features/combine-returned-results/runtime.js'),
  'feature:depends_on': () => import('./features/depends-on/runtime.js'),
  'feature:hashables': () => import('./features/hashables/runtime.js'),
  'feature:generate': () => import('./features/generate/runtime.js'),
  'feature:maintenance': () => import('./features/maintenance/runtime.js'),
  'feature:must_return_value': () => import('./features/must-return-value/runtime.js'),
  'feature:payload_validation': () => import('./features/payload-validation/runtime.js'),
  'feature:protected': () => import('./features/protected/runtime.js'),
  'feature:returnables': () => import('./features/returnables/runtime.js'),
  'feature:tokenize': () => import('./features/tokenize/runtime.js'),
  'feature:transaction': () => import('./features/transaction/runtime.js'),
  'feature:verify_hashables': () => import('./features/verify-hashables/runtime.js'),
  'generator:BSON': () => import('./generators/bson/runtime.js'),
  'generator:CUID': () => import('./generators/cuid/runtime.js'),
  'generator:CUID2': () => import('./generators/cuid2/runtime.js'),
  'generator:KSUID': () => import('./generators/ksuid/runtime.js'),
  'generator:NANOID': () => import('./generators/nanoid/runtime.js'),
  'generator:SHORTUUID': () => import('./generators/shortuuid/runtime.js'),
  'generator:SLUGID': () => import('./generators/slugid/runtime.js'),
  'generator:ULID': () => import('./generators/ulid/runtime.js'),
  'generator:UNIQID': () => import('./generators/uniqid/runtime.js'),
  'generator:UUID': () => import('./generators/uuid/runtime.js'),
  'hasher:ARGON2': () => import('./hashers/argon2/runtime.js'),
  'hasher:BCRYPT': () => import('./hashers/bcrypt/runtime.js'),
  'mode:QUERY': () => import('./modes/query/runtime.js'),
  'mode:RETURN': () => import('./modes/return/runtime.js'),
  'observer:access_log': () => import('./observers/access-log/runtime.js'),
  'query:sql_query': () => import('./queries/sql/runtime.js'),
  'validation-type:ARRAY': () => import('./validation-types/array/runtime.js'),
  'token:JWT': () => import('./tokens/jwt/runtime.js'),
  'token:PASETO': () => import('./tokens/paseto/runtime.js'),
  'validation-type:EMAIL': () => import('./validation-types/email/runtime.js'),
  'validation-type:NUMBER': () => import('./validation-types/number/runtime.js'),
  'validation-type:OBJECT': () => import('./validation-types/object/runtime.js'),
  'validation-type:STRING': () => import('./validation-types/string/runtime.js'),
  'validation-type:STRINGARRAY': () => import('./validation-types/string-array/runtime.js'),
  'feature:webhook': () => import('./features/webhook/runtime.js'),
  'strategy:ALL': () => import('./strategies/all/runtime.js'),
  'strategy:ANY': () => import('./strategies/any/runtime.js'),
  'verifier:HeaderTokenVerifier': () => import('./verifiers/header-token/runtime.js'),
  'verifier:HmacSignatureVerifier': () => import('./verifiers/hmac-signature/runtime.js'),
  'verifier:IpAllowListVerifier': () => import('./verifiers/ip-allow-list/runtime.js'),
  'verifier:JwtVerifier': () => import('./verifiers/jwt/runtime.js'),
  'verifier:PublicKeySignatureVerifier': () => import('./verifiers/public-key-signature/runtime.js'),
  'feature:invalidate_tokenize': () => import('./features/invalidate-tokenize/runtime.js'),
  'feature:rate_limit': () => import('./features/rate-limit/runtime.js'),
};

export const runtimes = loaders as Readonly<
  Record<PluginId, (() => Promise<{ readonly default: PluginRuntime<unknown> }>) | undefined>
>;
