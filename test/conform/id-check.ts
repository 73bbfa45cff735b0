/**
 * Whether a text is an identifier of a kind, for tests that check generated ones. The formats are the facts of the
 * generators; a UUID may be from elsewhere and is checked by its format only, whatever its version.
 */
import { specs } from '../../plugins/index.spec.js';
import { readTextInput, type Ops } from './ops.js';

/** RFC 9562, section 4: upper and lower case are read alike. */
const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text) && text.length === 36;

/** A value of this generator; throws for a kind without a generator. */
export function isGenerated(kind: string, text: string): boolean {
  const spec = specs.find((one) => one.kind === 'generator' && one.name === kind);
  if (spec === undefined) throw new Error(`no generator ${kind}`);
  const { pattern, length } = spec.facts ?? {};
  return text.length === length && new RegExp(`^(?:${String(pattern)})$`).test(text);
}

export const ops: Ops = {
  'id.check': (input) => {
    const kind = readTextInput(input, 'kind');
    const value = readTextInput(input, 'value');
    return { ok: kind === 'UUID' ? isUuid(value) : isGenerated(kind, value) };
  },
};
