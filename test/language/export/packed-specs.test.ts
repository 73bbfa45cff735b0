/**
 * Kinds and specs as data: they have the same contents and checks as the originals, and load code when it is called.
 */
import { expect } from 'chai';
import { analyseFiles, createAnalyser } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import { NODES } from '../../../language/analysis/grammar-schemas.js';
import type { Registry } from '../../../language/analysis/registry.js';
import { buildRegistry } from '../../../language/analysis/build-registry.js';
import { BootError } from '../../../contract/boot-error.js';
import { definePlugin, pluginId } from '../../../contract/plugin.js';
import type { PluginSpec, SchemaLike } from '../../../contract/plugin-spec.js';
import { toPlainData } from '../../../language/export/manifest.js';
import { packSpecs, unpackSpecs, type SpecList } from '../../../language/export/pack-specs.js';
import { foldSchema } from '../../../language/schema/fold.js';
import { unpackNode, type PackedNode } from '../../../language/schema/packed-node.js';
import { specs } from '../../../plugins/index.spec.js';
import { kinds } from '../../../plugins/index.kinds.js';

const packed = packSpecs({ kinds, specs });

const isSchema = (value: object): value is SchemaLike => '__isYupSchema__' in value;

/** Schemas as they fold, functions as a word, nothing that is undefined. */
function toComparable(value: unknown): unknown {
  if (typeof value === 'function') return 'code';
  if (typeof value !== 'object' || value === null) return value;
  if (isSchema(value)) return foldSchema(value, 'a schema');
  if (Array.isArray(value)) return value.map(toComparable);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, toComparable(inner)]));
}

const createRegistry = (known: SpecList): Registry =>
  buildRegistry(known.kinds, known.specs, new Set([...known.kinds, ...known.specs]));

describe('packed kinds and specs', () => {
  it('contain what the originals contain', () => {
    const back = unpackSpecs(packed, () => ({ kinds, specs }));
    for (const [i, kind] of kinds.entries())
      expect(toComparable(back.kinds[i]), kind.kind).to.deep.equal(toComparable(kind));
    for (const [i, spec] of specs.entries())
      expect(toComparable(back.specs[i]), pluginId(spec)).to.deep.equal(toComparable(spec));
  });

  it('load code when a function is called or documentation is read, not for a registry or schema facts', () => {
    let asked = 0;
    const back = unpackSpecs(packed, () => {
      asked++;
      return { kinds, specs };
    });
    const registry = createRegistry(back);
    const shape = '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "QUERYS" }] }';
    const [first] = createAnalyser(registry).scanFile({ file: 'a.json', text: shape });
    expect(first?.code).to.equal('DEF_UNKNOWN_PLUGIN');
    expect(asked).to.equal(0);
    expect(back.specs[0]?.examples).to.deep.equal(specs[0]?.examples);
    expect(asked).to.equal(1);
    expect(analyseConfig('lintel.config.json', '{}', registry, new Map(), true).config).to.deep.equal(
      analyseConfig('lintel.config.json', '{}', buildRegistry(kinds, specs), new Map(), true).config,
    );
    expect(asked).to.be.greaterThan(0);
  });

  it('check like the originals', () => {
    const back = unpackSpecs(packed, () => ({ kinds, specs }));
    const registries = [buildRegistry(kinds, specs), createRegistry(back)];
    const text =
      '{ "id": "a", "resource": "a", "protected": {}, "actionables": [{ "id": 1, "mode": "RETURN", "value": 1 }] }';
    const [real, data] = registries.map((registry) =>
      analyseFiles([{ file: 'a.json', text }], registry, { env: null }),
    );
    expect(real?.problems.map(({ code }) => code)).to.include('TOK_NO_SETTINGS');
    expect(data?.problems).to.deep.equal(real?.problems);
  });

  it('are not checked again together with a new one, which is checked', () => {
    let asked = 0;
    const back = unpackSpecs(packed, () => {
      asked++;
      return { kinds, specs };
    });
    const [spec] = specs;
    if (spec === undefined) throw new Error('no spec');
    const validated = new Set([...back.kinds, ...back.specs]);
    const own = (summary: string): PluginSpec => ({ ...spec, name: 'OWN', aliases: [], errors: {}, summary });
    expect(buildRegistry(back.kinds, [...back.specs, own('Its own.')], validated).plugins.size).to.equal(
      specs.length + 1,
    );
    expect(asked).to.equal(0);
    expect(() => buildRegistry(back.kinds, [...back.specs, own('')], validated)).to.throw(BootError);
  });

  it('reject values that are neither data, nor a schema, nor code', () => {
    const [spec] = specs;
    if (spec === undefined) throw new Error('no spec');
    const odd = definePlugin({ ...spec, details: 1n as unknown as string });
    expect(() => packSpecs({ kinds, specs: [odd] })).to.throw(TypeError, 'bigint');
  });

  it('are rejected if they are not a valid registry together', () => {
    const [spec] = specs;
    if (spec === undefined) throw new Error('no spec');
    expect(() => packSpecs({ kinds, specs: [...specs, spec] })).to.throw(BootError);
  });

  it('are ASCII, also for texts that are not', () => {
    const [spec] = specs;
    if (spec === undefined) throw new Error('no spec');
    const foreign = definePlugin({ ...spec, name: 'FOREIGN', summary: 'größer \u2028 als 🙂' });
    const text = packSpecs({ kinds, specs: [...specs, foreign] });
    expect(text).to.match(/^[\n -~]*$/);
    expect(unpackSpecs(text, () => ({ kinds, specs })).specs.at(-1)?.summary).to.equal(foreign.summary);
  });

  it('restore the same grammar', () => {
    const back = JSON.parse(JSON.stringify(toPlainData(NODES, 'grammar'))) as Readonly<Record<string, PackedNode>>;
    const nodes = Object.fromEntries(Object.entries(back).map(([name, node]) => [name, unpackNode(node)]));
    expect(nodes).to.deep.equal(NODES);
  });
});
