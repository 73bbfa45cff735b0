/** Kind `accessor`: resolves `$ROOT.path` references. Compiled at load, read per request. */
import type { Accessor } from '../../contract/handles.js';
import { defineKind } from '../../contract/kind.js';
import { Slot } from '../../contract/slot.js';
import { wrapAsGuardedParameter, wrapAsParameter } from '../shared/examples.light.js';

export type { Accessor, CompiledAccessor } from '../../contract/handles.js';

export const accessor = defineKind<Accessor>({
  kind: 'accessor',
  title: 'Accessor',
  summary: 'Reads a value at run time: from the request, the environment, the time or a generator.',
  slots: [Slot.ACCESSOR],
  select: { by: 'root' },
  facts: {
    tail: {
      doc: 'What may follow the root: `none`, `name`, `env`, `path`, `optional-path`, `declared:<symbol>`, `plugin:<kind>`.',
      type: 'string',
      required: true,
    },
    reads: {
      doc: 'What the names after the root refer to: fields of the payload, claims of the token, or headers. `nothing`: no value of the request is read.',
      type: 'string',
      required: false,
      oneOf: ['payload', 'claims', 'headers', 'nothing'],
    },
    offers: {
      doc: 'Names that editors offer after the dot, in addition to those of `tail` and `reads`.',
      type: 'list',
      required: false,
    },
    gives: {
      doc: 'The type of its value, if it is always the same: a text, or a timestamp.',
      type: 'string',
      required: false,
      oneOf: ['text', 'timestamp'],
    },
    aliases: { doc: 'Other roots that are often written for this one by mistake.', type: 'list', required: false },
    secret: { doc: 'Values must not leave the service.', type: 'boolean', required: true },
  },
  handle: ['compile'],
  host: (fragment, { facts }) =>
    facts?.tail === 'declared:claim' ? wrapAsGuardedParameter(fragment) : wrapAsParameter(fragment),
});
