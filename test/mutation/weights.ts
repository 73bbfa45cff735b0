/** How likely a mutation is drawn: more where a defect does harm, and more for kinds that are real mistakes. */
import type { Mutation, MutationKind } from './mutation.js';

/** Guards, limits, leases, transactions, cache keys, building of SQL and paths, tokens, ciphers, signatures, request bodies. */
const HARMFUL: readonly RegExp[] = [
  /^kernel\/(http|runtime|sockets|compile)\//,
  /^kernel\/language\/bounded-json\.ts$/,
  /^plugins\/(tokens|verifiers|strategies|ciphers|hashers|queues|schedulers|caches|dialects|storages|queries|modes)\//,
  /^plugins\/(document-stores|document-actions|relays|generators|accessors|validation-types|field-types|shared)\//,
  /^plugins\/features\/(?!must-return-value|returnables|combine-returned-results)/,
  /^plugins\/kinds\/(bounds|storage-key|token|token-keys|removing|search|adding-tokenize)\.ts$/,
];

/** Specs describe: their code is mostly documentation and lists. */
const DESCRIPTION = /\/spec\.ts$|^plugins\/kinds\//;

const KINDS: Readonly<Record<MutationKind, number>> = {
  compare: 2,
  logic: 1.5,
  guard: 2,
  condition: 1.5,
  negation: 1.5,
  await: 4,
  call: 3,
  throw: 2,
  return: 2,
  number: 1,
  string: 1,
  pattern: 1.5,
  arithmetic: 2,
  math: 3,
  slice: 2,
  member: 0.5,
  boolean: 1,
  chain: 1.5,
  statement: 4,
};

export function weighMutation({ file, kind }: Mutation): number {
  const area = DESCRIPTION.test(file) ? 0.5 : 1;
  return KINDS[kind] * area * (HARMFUL.some((pattern) => pattern.test(file)) ? 4 : 1);
}
