/** All built-in kinds, by name (`lintel/kinds`) and as a list. `plugins` in the config adds others. */
import type { Kind } from '../contract/kind.js';
import { accessor } from './accessors/kind.js';
import { bodyFormat } from './body-formats/kind.js';
import { broadcast } from './broadcasts/kind.js';
import { cache } from './caches/kind.js';
import { cipher } from './ciphers/kind.js';
import { documentAction } from './document-actions/kind.js';
import { documentStore } from './document-stores/kind.js';
import { encoding } from './encodings/kind.js';
import { matcher } from './matchers/kind.js';
import { middleware } from './middlewares/kind.js';
import { observer } from './observers/kind.js';
import { storage } from './storages/kind.js';
import { strategy } from './strategies/kind.js';
import { verifier } from './verifiers/kind.js';
import { dialect } from './dialects/kind.js';
import { envelope } from './envelopes/kind.js';
import { feature } from './features/kind.js';
import { fieldType } from './field-types/kind.js';
import { generator } from './generators/kind.js';
import { hasher } from './hashers/kind.js';
import { mode } from './modes/kind.js';
import { query } from './queries/kind.js';
import { queue } from './queues/kind.js';
import { reporter } from './reporters/kind.js';
import { scheduler } from './schedulers/kind.js';
import { relay } from './relays/kind.js';
import { token } from './tokens/kind.js';
import { trigger } from './triggers/kind.js';
import { validationType } from './validation-types/kind.js';

export {
  accessor,
  bodyFormat,
  broadcast,
  cache,
  cipher,
  dialect,
  documentAction,
  documentStore,
  encoding,
  envelope,
  feature,
  fieldType,
  generator,
  hasher,
  matcher,
  middleware,
  mode,
  observer,
  query,
  queue,
  scheduler,
  relay,
  reporter,
  storage,
  strategy,
  token,
  trigger,
  validationType,
  verifier,
};
export type { Accessor, CompiledAccessor } from './accessors/kind.js';
export type { Broadcast } from './broadcasts/kind.js';
export { cacheErrors } from './caches/kind.js';
export type { Cache, CacheReadResult, WindowCount } from './caches/kind.js';
export type { Cipher, SealingKey } from './ciphers/kind.js';
export type { Dialect } from './dialects/kind.js';
export { createTableRows } from './dialects/kind.js';
export type { DocumentAction, DocumentParts } from './document-actions/kind.js';
export type {
  Document,
  DocumentStore,
  DocumentTransaction,
  FindOptions,
  UpdateOptions,
} from './document-stores/kind.js';
export type { Encoding } from './encodings/kind.js';
export type { ReportedCase, ReportOutput, TestReport, TestReporter } from '../contract/tests.js';
export type { Matcher, MatchTools, Mismatch } from '../contract/matcher.js';
export { storageErrors } from './storages/kind.js';
export type { Storable, Storage } from './storages/kind.js';
export type { Strategy } from './strategies/kind.js';
export type { VerificationResult, Verifier, Verify as VerifySender } from './verifiers/kind.js';
export type { Feature, FeaturePlace, FeaturePlan } from './features/kind.js';
export type { Generator } from './generators/kind.js';
export type { Hash, Hasher, Verify } from './hashers/kind.js';
export type { ModeHandle } from './modes/kind.js';
export type { Query } from './queries/kind.js';
export { queueErrors } from './queues/kind.js';
export type { Queue, Run, TransactionalQueue } from './queues/kind.js';
export type { Claim, Ledger, Scheduler, SchedulerSettings } from './schedulers/kind.js';
export type { Relay } from './relays/kind.js';
export { TokenRefused } from './tokens/kind.js';
export type { TokenSettings, TokenTool, TokenType, VerifiedToken } from './tokens/kind.js';
export type { ValidationType, ValueValidator } from './validation-types/kind.js';

export const kinds: readonly Kind[] = [
  accessor,
  bodyFormat,
  broadcast,
  cache,
  cipher,
  dialect,
  documentAction,
  documentStore,
  encoding,
  envelope,
  feature,
  fieldType,
  generator,
  hasher,
  matcher,
  middleware,
  mode,
  observer,
  query,
  queue,
  scheduler,
  relay,
  reporter,
  storage,
  strategy,
  token,
  trigger,
  validationType,
  verifier,
] as readonly Kind[];
