/** Sources of names: each one that specs use is registered, and each registered one is used. */
import { expect } from 'chai';
import { getConfigField } from '../../language/analysis/config.js';
import { GRAMMAR } from '../../language/analysis/grammar.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { foldSchema } from '../../language/schema/fold.js';
import { NAME_SOURCES } from '../../language-server/completion/names/index.js';
import { createBuiltinRegistry } from '../support/fixtures.js';

const registry = createBuiltinRegistry();

function fields(): FieldNode[] {
  const all: FieldNode[] = [];
  const visit = (field: FieldNode): void => {
    all.push(field);
    Object.values(field.fields).forEach(visit);
    if (field.inner !== null) visit(field.inner);
    field.options.forEach(visit);
  };
  visit(getConfigField(registry));
  Object.values(GRAMMAR).forEach(visit);
  for (const { kind, common } of registry.kinds.values()) if (common !== undefined) visit(foldSchema(common, kind));
  for (const [id, { kind }] of registry.plugins) {
    for (const slot of registry.kind(kind)?.slots ?? []) {
      const schema = registry.schema(id, slot);
      if (schema !== undefined) visit(schema);
    }
  }
  return all;
}

describe('language server: sources of names', () => {
  const asked = new Set(
    fields().flatMap(({ meta: { complete, refers } }) => [
      ...(complete === undefined ? [] : [complete.source]),
      ...(refers === undefined ? [] : [refers.symbol]),
    ]),
  );

  it('has every source that a spec requests', () => {
    expect([...asked].filter((name) => NAME_SOURCES[name] === undefined)).to.deep.equal([]);
  });

  it('has none that no spec uses', () => {
    // Names that a spec declares or an accessor reads are requested by its facts.
    const other = ['resource', 'generated', 'claim', 'issued-claim', 'event', 'secret', 'env-name'];
    expect(Object.keys(NAME_SOURCES).filter((name) => !asked.has(name) && !other.includes(name))).to.deep.equal([]);
  });
});
