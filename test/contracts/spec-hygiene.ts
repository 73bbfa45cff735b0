/**
 * Rules for every spec: documented fields, examples that pass, counter-examples that fail with the code and at the
 * place they name. A suite for mocha; names no plugin, so plugins from any folder can be checked. The place of a
 * counter-example's problem is one of: the value at `at`; its key (for a key that must be absent); its opening bracket
 * (for a missing member); characters inside the string at `at`.
 */
import { expect } from 'chai';
import { EXAMPLE_FILES } from '../../language/export/example-check.js';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { analyseConfig } from '../../language/analysis/config.js';
import type { Registry } from '../../language/analysis/registry.js';
import type { EnvFacts } from '../../language/analysis/checks/accessors.js';
import type { Json } from '../../contract/json.js';
import type { FactSpec, Host, Kind } from '../../contract/kind.js';
import { pluginId, type FactValue } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { Problem, Range } from '../../contract/problem.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { foldSchema } from '../../language/schema/fold.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { EXAMPLE_ENV } from '../support/example-env.js';
import { createDocument, rangeAt, type Document } from '../../language/source/document.js';
import { findNode } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';

/** Variables that examples may read. */
export const SPEC_ENV = {
  ...EXAMPLE_ENV,
  DATABASE_URL: 'postgres://example',
  MYSQL_URL: 'mysql://example/shop',
  MONGO_URL: 'mongodb://example',
  REDIS_URL: 'redis://example',
  S3_ACCESS_KEY: 'example',
  S3_SECRET_KEY: 'canary-example-secret-Qm7xT2vLs9',
};

export function testSpecs(
  registry: Registry,
  specs: readonly PluginSpec[],
  env: Readonly<Record<string, string>> = SPEC_ENV,
): void {
  const facts = createEnvFacts(env);
  for (const spec of specs) {
    describe(`spec of ${pluginId(spec)}`, () => {
      const kind = registry.kind(spec.kind) as Kind;

      it('has a summary, a version and facts', () => {
        expect(spec.summary).to.match(/\.$/);
        expect(spec.summary.length, 'summary').to.be.at.most(200);
        expect(spec.since).to.match(/^\d+\.\d+\.\d+$/);
        checkFacts(kind, spec);
      });

      it('documents every field it adds', () => {
        const schemas = kind.slots.map((slot) => registry.schema(pluginId(spec), slot));
        const nodes = schemas.filter((schema) => schema !== undefined);
        if (spec.schema !== undefined || spec.slots !== undefined) {
          expect(nodes.length, 'a schema in a slot of its kind').to.be.at.least(kind.slots.length > 0 ? 1 : 0);
        }
        for (const node of nodes) checkDocs(node, pluginId(spec));
      });

      for (const example of spec.examples) {
        it(`example "${example.title}" has no error`, () => {
          const { problems, doc } = check(kind.host(example.json, spec), registry, facts);
          expect(filterErrors(problems).map((problem) => describeProblem(problem, doc))).to.deep.equal([]);
        });
      }

      for (const { title, json, code, at } of spec.counterExamples) {
        it(`counter-example "${title}" has ${code} at its place, and no other error`, () => {
          const host = kind.host(json, spec);
          const { problems, doc } = check(host, registry, facts);
          const places = placesAt(doc, `${host.at}${at}`);
          const found = problems.filter((problem) => problem.code === code);
          const shown = found.map((problem) => describeProblem(problem, doc)).join('\n');
          expect(found, problems.map((problem) => describeProblem(problem, doc)).join('\n')).to.have.length.of.at.least(
            1,
          );
          expect(
            found.some(({ range }) => isAtPlace(places, range)),
            `${shown} is not at ${host.at}${at}`,
          ).to.equal(true);
          const fragment = findNode(parseRoot(doc), host.at);
          expect(fragment, 'the host places the fragment').not.to.equal(null);
          const around = rangeAt(doc, fragment?.node.start ?? 0, fragment?.node.end ?? 0);
          for (const problem of filterErrors(problems)) {
            expect(isInside(problem.range, around), `outside the fragment: ${describeProblem(problem, doc)}`).to.equal(
              true,
            );
          }
        });
      }

      it('has error codes with title, message, help and either severity or status', () => {
        for (const [code, entry] of Object.entries(spec.errors ?? {})) {
          expect(code).to.match(/^[A-Z]{2,3}_[A-Z0-9_]+$/);
          expect(entry.title, code).to.match(/^[A-Z][^{}]*[^.{}]$/);
          expect(entry.message, code).to.match(/[.!?}]$/);
          expect(entry.help, code).to.match(/[.]$/);
          expect((entry.severity === undefined) !== (entry.status === undefined), code).to.equal(true);
        }
      });
    });
  }
}

/** A kind is documented like a plugin is. */
export function testKinds(kinds: readonly Kind[]): void {
  for (const kind of kinds) {
    it(`kind ${kind.kind} documents itself, its common fields and its facts`, () => {
      expect(kind.title).to.match(/^[A-Z]/);
      expect(kind.summary).to.match(/\.$/);
      for (const [name, fact] of Object.entries(kind.facts)) expect(fact.doc, name).to.match(/\.$/);
      if (kind.config !== undefined) expect(kind.config.doc).to.match(/\.$/);
      if (kind.common !== undefined) checkDocs(foldSchema(kind.common, kind.kind), kind.kind);
    });
  }
}

function checkFacts(kind: Kind, spec: PluginSpec): void {
  const isValidFact = (fact: FactSpec, value: FactValue): boolean =>
    (fact.type === 'list' ? Array.isArray(value) : typeof value === fact.type) &&
    (fact.oneOf === undefined || fact.oneOf.includes(String(value)));
  for (const [name, value] of Object.entries(spec.facts ?? {})) {
    const fact = kind.facts[name];
    expect(fact, `the kind ${kind.kind} knows no fact "${name}"`).not.to.equal(undefined);
    if (fact !== undefined) expect(isValidFact(fact, value), name).to.equal(true);
  }
  for (const [name, fact] of Object.entries(kind.facts)) {
    if (fact.required) expect(spec.facts, name).to.have.property(name);
  }
}

function checkDocs(node: FieldNode, path: string): void {
  for (const [name, field] of Object.entries(node.fields)) {
    expect(field.meta.doc, `${path}.${name}`).to.match(/^[^\s].*[.)?]$/s);
    checkDocs(field, `${path}.${name}`);
  }
  node.options.forEach((form) => checkDocs(form, path));
  if (node.inner !== null) checkDocs(node.inner, `${path}[]`);
}

function check(
  host: Host,
  registry: Registry,
  env: EnvFacts,
): { readonly problems: readonly Problem[]; readonly doc: Document } {
  const file = EXAMPLE_FILES[host.file];
  const text = JSON.stringify(host.json satisfies Json, null, 2);
  const { problems } =
    host.file === 'config'
      ? analyseConfig(file, text, registry, env)
      : analyseFiles([{ file, text }], registry, { env });
  return { problems, doc: createDocument(file, text) };
}

const filterErrors = (problems: readonly Problem[]): Problem[] =>
  problems.filter(({ severity }) => severity === 'error');

function parseRoot(doc: Document): NonNullable<ReturnType<typeof parseSource>['root']> {
  const { root } = parseSource(doc);
  if (root === null) throw new Error(`${doc.file} holds no JSON`);
  return root;
}

interface Places {
  readonly exact: readonly Range[];
  readonly around: Range | null;
}

function placesAt(doc: Document, pointer: string): Places {
  const found = findNode(parseRoot(doc), pointer);
  if (found === null) throw new Error(`nothing stands at ${pointer}`);
  const { node, member } = found;
  const value = rangeAt(doc, node.start, node.end);
  const opening = rangeAt(doc, node.start, node.start + 1);
  const key = member === null ? [] : [rangeAt(doc, member.keyStart, member.keyEnd)];
  return { exact: [value, opening, ...key], around: node.type === 'string' ? value : null };
}

const isAtPlace = ({ exact, around }: Places, range: Range): boolean =>
  exact.some((place) => isInside(range, place) && isInside(place, range)) ||
  (around !== null && isInside(range, around));

function isInside(inner: Range, outer: Range): boolean {
  const isBefore = (a: Range['start'], b: Range['start']): boolean =>
    a.line < b.line || (a.line === b.line && a.character <= b.character);
  return isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
}

function describeProblem({ code, message, range }: Problem, doc: Document): string {
  const line = doc.text.split('\n')[range.start.line] ?? '';
  return `${code} ${message} | ${line.trim()}`;
}
