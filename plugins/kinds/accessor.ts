/** Kind `accessor`: what the upper-case word behind a dollar sign reads. Compiled at load, read per request. */
import { defineKind } from '../../kernel/contract/kind.js';
import type { PlanTools, Reader } from '../../kernel/contract/plan.js';
import { Slot } from '../../kernel/contract/slot.js';
import { asGuardedParameter, asParameter } from './hosts.js';

export interface CompiledAccessor {
  readonly read: Reader;
  /** The value never changes while the kernel runs: it is read once, at load. */
  readonly constant: boolean;
  /** The payload field that is read, so that a store's complaint can name it. */
  readonly field?: string | null;
}

export interface Accessor {
  compile(tail: readonly string[], tools: PlanTools): CompiledAccessor;
}

export const accessor = defineKind<Accessor>({
  kind: 'accessor',
  title: 'Accessor',
  summary: 'Reads a value at run time: from the request, the environment, the clock or a generator.',
  slots: [Slot.ACCESSOR],
  select: { by: 'root' },
  facts: {
    tail: {
      doc: 'What may follow the root: `none`, `name`, `env`, `path`, `optional-path`, `declared:<symbol>`, `plugin:<kind>`.',
      type: 'string',
      required: true,
    },
    reads: {
      doc: 'Whose names the tail holds: fields of the payload, or claims of the token. `nothing`: no value of the request is read.',
      type: 'string',
      required: false,
      oneOf: ['payload', 'claims', 'nothing'],
    },
    aliases: { doc: 'Roots that people write for this one by mistake.', type: 'list', required: false },
    secret: { doc: 'Values must not leave the service.', type: 'boolean', required: true },
  },
  handle: ['compile'],
  host: (fragment, { facts }) =>
    facts?.['tail'] === 'declared:claim' ? asGuardedParameter(fragment) : asParameter(fragment),
});
