/** Reports secrets written in clear. The message never repeats the value. */
import { asText } from '../../../contract/json.js';
import { Slot } from '../../../contract/slot.js';
import { listAccessors } from '../../strings/accessor.js';
import { isSampleSecret } from '../../strings/sample-secrets.js';
import type { FieldNode } from '../../schema/field-node.js';
import type { LocatedNode } from '../../source/tree.js';
import type { Registry } from '../registry.js';
import type { WalkContext } from '../walk-context.js';

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
/** `resolved`: the text contains accessors, so only a part of it is literal. */
export function reportClearSecret(
  { doc, registry, report }: WalkContext,
  node: LocatedNode,
  field: FieldNode,
  label: string,
  resolved: boolean,
): void {
  const text = String(node.scalar);
  if (text.trim() === '') return;
  const address = ADDRESS.test(text);
  const password = address ? extractPassword(text) : resolved ? null : text;
  if (password === null) return;
  const form = suggestVariable(registry, field, label);
  const spot = { doc, start: node.start, end: node.end };
  const fix =
    form === null ? {} : { fix: { title: `read it from "${form}"`, text: JSON.stringify(form), asks: true as const } };
  const params = { place: label, form: form ?? 'an accessor' };
  report.add(isSampleSecret(password) && !address ? 'SEC_SAMPLE' : 'SEC_CLEAR', spot, params, fix);
}

/** Null if the password is not literal. */
function extractPassword(address: string): string | null {
  const user = /^[^:]+:\/\/([^/?#]*)@/.exec(address)?.[1];
  const colon = user?.indexOf(':') ?? -1;
  const password = colon === -1 ? '' : (user ?? '').slice(colon + 1);
  return password === '' || listAccessors(password).length > 0 ? null : password;
}

/** Uses the field's example, or a name derived from the field's. */
function suggestVariable(registry: Registry, field: FieldNode, label: string): string | null {
  const example = asText(field.meta.examples?.find((one) => listAccessors(asText(one)).length === 1));
  if (example !== '') return example;
  const reader = registry
    .listKinds(Slot.ACCESSOR)
    .flatMap(({ kind }) => registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.tail === 'env'))
    .at(0);
  const name = /"([^"]+)"/.exec(label)?.[1] ?? 'secret';
  const upper = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return reader === undefined ? null : `$${reader}.${upper.toUpperCase()}`;
}
