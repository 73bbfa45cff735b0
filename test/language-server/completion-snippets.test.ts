/** Whole values as snippets: what is inserted for each plugin passes the checker with its stops left as they are. */
import { expect } from 'chai';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { analyseConfig, getConfigField } from '../../language/analysis/config.js';
import { resolveLevels } from '../../language/analysis/levels.js';
import { ROOT_FIELDS } from '../../language/analysis/grammar.js';
import type { Host } from '../../contract/kind.js';
import type { Json } from '../../contract/json.js';
import type { EnvFacts } from '../../language/analysis/checks/accessors.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { createDocument } from '../../language/source/document.js';
import { parseSource } from '../../language/source/parse.js';
import { membersSnippet, valueSnippet } from '../../language-server/completion/snippets.js';
import {
  getPluginExample,
  numbersIn,
  listResourceVariants,
  listVariants,
} from '../../language-server/completion/variants.js';
import { createBuiltinRegistry, SQL } from '../support/fixtures.js';
import { renderSnippet } from '../support/marked-source.js';

const registry = createBuiltinRegistry();
/** Every variable is set, to 32 characters. */
const env: EnvFacts = new Map();
const everything: EnvFacts = Object.assign(env, {
  has: () => true,
  get: (name: string) => {
    const length = Number(/_([1-9]\d?)$/.exec(name)?.[1] ?? 32);
    return { length, bytes: length, blank: false };
  },
});

const parseSnippet = (snippet: string): Json => JSON.parse(renderSnippet(snippet).replaceAll('‸', '')) as Json;

const FILES = { resource: 'example.json', model: 'models.json', test: 'example.test.json' } as const;

function errorsIn({ file, json }: Pick<Host, 'file' | 'json'>): string[] {
  const text = JSON.stringify(json, null, 2);
  const found =
    file === 'config'
      ? analyseConfig('lintel.config.json', text, registry, everything).problems
      : analyseFiles([{ file: FILES[file], text }], registry, {
          env: everything,
          sql: SQL,
        }).problems;
  return found.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);
}

function put(json: Json, pointer: string, value: Json): Json {
  const copy = structuredClone(json) as Record<string, Json>;
  const path = pointer.split('/').slice(1);
  const last = path.pop() ?? '';
  const holder = path.reduce((at, key) => at[key] as unknown as Record<string, Json>, copy);
  holder[last] = value;
  return copy;
}

/** The schema at the position of an example. */
function fieldAt({ file, json, at }: Host): FieldNode {
  const root = file === 'config' ? getConfigField(registry) : ROOT_FIELDS[file];
  const { root: node } = parseSource(createDocument('', JSON.stringify(json)));
  // A file of models has their names around them.
  const isNamed = file === 'model';
  const path = at.split('/').slice(isNamed ? 2 : 1);
  const levels = resolveLevels(
    registry,
    isNamed ? (node?.members[0]?.value ?? null) : node,
    root,
    path.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment)),
  );
  const field = levels.at(-1)?.field;
  if (field === undefined || field === null) throw new Error(`nothing is known of ${at}`);
  return field;
}

describe('language server: snippets of whole values', () => {
  for (const kind of registry.kinds.values()) {
    if (kind.select.by !== 'field') continue;
    for (const name of registry.names(kind.kind)) {
      const spec = registry.plugin(kind.kind, name);
      if (spec === undefined) continue;
      const host = kind.host(spec.examples[0]?.json ?? {}, spec);
      const field = fieldAt(host);
      const variants = listVariants(registry, field).filter((one) => one.kind === kind.kind && one.name === name);
      it(`offers ${kind.kind} ${name}`, () => expect(variants).not.to.deep.equal([]));
      for (const variant of variants) {
        it(`passes the checker: ${kind.kind} ${variant.label}`, () => {
          const given = { ...numbersIn(registry, field, () => 1), ...variant.given };
          const whole = parseSnippet(valueSnippet(registry, field, given));
          expect(errorsIn({ ...host, json: put(host.json, host.at, whole) as Host['json'] })).to.deep.equal([]);
          expect(parseSnippet(`{${membersSnippet(registry, field, given)}}`)).to.deep.equal(whole);
        });
      }
    }
  }

  for (const [id, spec] of registry.plugins) {
    const kind = registry.kind(spec.kind);
    if (kind?.select.by !== 'key') continue;
    it(`passes the checker: ${id}`, () => {
      const schema = registry.schema(id, kind.slots[0] ?? '');
      if (schema === undefined) throw new Error('no schema');
      const host = kind.host(spec.examples[0]?.json ?? {}, spec);
      const whole = parseSnippet(valueSnippet(registry, schema, getPluginExample(registry, spec.kind, spec.name)));
      expect(errorsIn({ ...host, json: put(host.json, host.at, whole) as Host['json'] })).to.deep.equal([]);
    });
  }

  for (const { label, given } of listResourceVariants(registry, ROOT_FIELDS.resource)) {
    it(`passes the checker: a whole resource with ${label}`, () => {
      const json = parseSnippet(valueSnippet(registry, ROOT_FIELDS.resource, given)) as Host['json'];
      expect(json).to.include.keys('id', 'resource', 'actionables');
      expect(errorsIn({ file: 'resource', json })).to.deep.equal([]);
    });
  }

  it('is valid JSON for every field of the config and of every plugin', () => {
    const visit = (field: FieldNode, path: string): void => {
      let json: Json;
      try {
        json = parseSnippet(valueSnippet(registry, field));
      } catch (error) {
        throw new Error(`${path}: ${renderSnippet(valueSnippet(registry, field))}`, { cause: error });
      }
      expect(json, path).not.to.equal(undefined);
      for (const [name, inner] of Object.entries(field.fields)) visit(inner, `${path}.${name}`);
      if (field.inner !== null) visit(field.inner, `${path}[]`);
      field.options.forEach((option, i) => visit(option, `${path}|${i}`));
    };
    visit(getConfigField(registry), 'config');
    for (const [id, spec] of registry.plugins) {
      for (const slot of registry.kind(spec.kind)?.slots ?? []) {
        const schema = registry.schema(id, slot);
        if (schema !== undefined) visit(schema, id);
      }
    }
  });
});
