/**
 * All built-in kinds, by name for plugin authors (`lintel/kinds`) and as a list for the registry. Other kinds are added through
 * `plugins` in the config.
 */
import type { Kind } from '../../kernel/contract/kind.js';
import { accessor } from './accessor.js';
import { broadcast } from './broadcast.js';
import { cache } from './cache.js';
import { cipher } from './cipher.js';
import { documentAction } from './document-action.js';
import { documentStore } from './document-store.js';
import { encoding } from './encoding.js';
import { inspector } from './inspector.js';
import { observer } from './observer.js';
import { storage } from './storage.js';
import { strategy } from './strategy.js';
import { verifier } from './verifier.js';
import { dialect } from './dialect.js';
import { envelope } from './envelope.js';
import { feature } from './feature.js';
import { fieldType } from './field-type.js';
import { generator } from './generator.js';
import { hasher } from './hasher.js';
import { mode } from './mode.js';
import { query } from './query.js';
import { queue } from './queue.js';
import { scheduler } from './scheduler.js';
import { relay } from './relay.js';
import { token } from './token.js';
import { validationType } from './validation-type.js';

export {
  accessor,
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
  inspector,
  mode,
  observer,
  query,
  queue,
  scheduler,
  relay,
  storage,
  strategy,
  token,
  validationType,
  verifier,
};
export type { Accessor, CompiledAccessor } from './accessor.js';
export type { Broadcast } from './broadcast.js';
export type { Cache, Counted, Recall } from './cache.js';
export type { Cipher, SealingKey } from './cipher.js';
export type { Dialect } from './dialect.js';
export type { DocumentAction, DocumentParts } from './document-action.js';
export type { Document, DocumentStore, DocumentTransaction, FindOptions, UpdateOptions } from './document-store.js';
export type { Encoding } from './encoding.js';
export type { Inspector } from './inspector.js';
export { storageErrors } from './storage.js';
export type { Storable, Storage } from './storage.js';
export type { Strategy } from './strategy.js';
export type { Verdict, Verifier, Verify as VerifySender } from './verifier.js';
export type { Feature, FeaturePlace, FeaturePlan } from './feature.js';
export type { Generator } from './generator.js';
export type { Hash, Hasher, Verify } from './hasher.js';
export type { ModeHandle } from './mode.js';
export type { Query } from './query.js';
export { queueErrors } from './queue.js';
export type { Queue, Run, Within } from './queue.js';
export type { Claim, Ledger, Scheduler, SchedulerSettings } from './scheduler.js';
export type { Relay } from './relay.js';
export { TokenRefused } from './token.js';
export type { TokenSettings, TokenTool, TokenType, Verified } from './token.js';
export type { Judge, ValidationType } from './validation-type.js';

export const kinds: readonly Kind[] = [
  accessor,
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
  inspector,
  mode,
  observer,
  query,
  queue,
  scheduler,
  relay,
  storage,
  strategy,
  token,
  validationType,
  verifier,
] as readonly Kind[];
