/**
 * The kernel and the language server use kinds and plugins as data: none of their files contains the name or id of a
 * plugin as a string, or a literal accessor. The lists come from the registry, so they grow with the plugins. Texts of
 * help and documentation may mention a name inside a longer text; code may not compare with it.
 */
import { expect } from 'chai';
import { createBuiltinRegistry } from '../support/fixtures.js';
import ts from 'typescript';
import { getStringText, loadSources, listStrings, visitNodes, type Source } from '../support/sources.js';

/** Names that are also ordinary words of the grammar or of the language, each with the reason. */
const ORDINARY: ReadonlyMap<string, string> = new Map([
  ['mode', 'a field of the grammar: every actionable has one, whatever plugins there are'],
  ['query', 'where OpenAPI says that a value stands in the query string'],
  ['broadcast', 'the hook that sees messages to connected clients, by its public name'],
  ...['INSERT', 'UPDATE', 'DELETE'].map((verb) => [verb, 'a word of SQL'] as const),
  ['COUNT', 'what stands for a number in the help of a command'],
  ['websocket', 'a section of the config, as definitions of the kernel and of OpenAPI write it'],
  ['json', 'a type of columns and of bodies, and a format of commands'],
  ['pretty', 'the default format of commands'],
  ['reporter', 'an option of `lintel test`'],
  ['generator', 'a field of tests: what creates the listed identifiers'],
  ['accessor', 'how a parameter is meant, next to `name` and `literal`'],
]);

const registry = createBuiltinRegistry();
const names = [...registry.plugins.values()].map(({ name }) => name);
const ids = [...registry.plugins.keys()];
const kinds = [...registry.kinds.keys()];
const roots = [...registry.kinds.values()]
  .filter(({ select }) => select.by === 'root')
  .flatMap(({ kind }) => registry.names(kind));

/** Strings that are forbidden there, whole or as a part. */
function offence(text: string): string | null {
  const exact = [...names, ...ids, ...kinds].find((name) => name === text && !ORDINARY.has(name));
  if (exact !== undefined) return exact;
  const accessor = roots.find((root) => new RegExp(`\\$${root}(?![A-Za-z0-9_])`).test(text));
  return accessor === undefined ? null : `$${accessor}`;
}

/** Keywords, except the verb of a statement, which the contract names. */
const GRAMMAR =
  /\b(?:SELECT|FROM|WHERE|JOIN|RETURNING|VALUES|INTO|UNION|HAVING|GROUP BY|ORDER BY|CREATE|DROP|COALESCE)\b/;

function listGrammar(source: Source): string[] {
  const found: string[] = [];
  visitNodes(source, (node) => {
    const text = ts.isRegularExpressionLiteral(node) ? node.text : getStringText(node);
    if (text !== null && text !== 'SELECT' && GRAMMAR.test(text)) found.push(text);
  });
  return found;
}

/** Of JSON Schema and of names that belong to the own resource. */
const OTHER_SIGNS: ReadonlySet<string> = new Set(['$ref', '$defs', '$schema', '$id', '$self']);

describe('architecture: names', () => {
  it('match those of the registry', () => {
    expect(names).to.include.members([
      'sql_query',
      'QUERY',
      'RETURN',
      'payload_validation',
      'depends_on',
      'PAYLOAD',
      'ULID',
    ]);
    expect(kinds).to.include.members(['dialect', 'feature', 'accessor']);
    expect(roots).to.include('PAYLOAD');
  });

  it('are found in a violation, and not in ordinary text', () => {
    expect(['QUERY', 'postgres', 'generator:ULID', 'dialect', 'see $PAYLOAD.x'].map(offence)).not.to.include(null);
    for (const text of ['a query', 'the dialect', '$PAYLOADS', '$payload', 'mode', 'returns', '']) {
      expect(offence(text), text).to.equal(null);
    }
  });

  it('of plugins, kinds and accessors are absent from the kernel and the language server', () => {
    const found = loadSources('contract', 'language', 'kernel', 'cli', 'language-server').flatMap((source) =>
      listStrings(source).flatMap((text) => {
        const name = offence(text);
        return name === null ? [] : [`${source.path}: ${name}`];
      }),
    );
    expect(found).to.deep.equal([]);
  });

  it('of the grammar of SQL are absent from the language and the kernel', () => {
    const core = loadSources('language', 'kernel');
    expect(core.filter(({ path }) => /sql/i.test(path)).map(({ path }) => path)).to.deep.equal([]);
    // The catalogue has the texts of all messages.
    const found = core
      .filter(({ path }) => !path.startsWith('language/problems/'))
      .flatMap((source) => listGrammar(source).map((text) => `${source.path}: ${text}`));
    expect(found).to.deep.equal([]);
    const text = "const a = 'SELECT'; const b = / WHERE /; const c = 'id FROM _user'; const d = 'INSERT';";
    expect(listGrammar({ path: 'language/a.ts', text })).to.deep.equal(['/ WHERE /', 'id FROM _user']);
  });

  it('of stages and operators of document queries are absent from the language and the kernel', () => {
    const isOperator = (text: string): boolean => /^\$[a-z]+[A-Za-z]*$/.test(text) && !OTHER_SIGNS.has(text);
    const found = loadSources('language', 'kernel').flatMap((source) =>
      listStrings(source).flatMap((text) => (isOperator(text) ? [`${source.path}: ${text}`] : [])),
    );
    expect(found).to.deep.equal([]);
    expect(['$match', '$in', '$ref', '$1'].map(isOperator)).to.deep.equal([true, true, false, false]);
  });

  it('have only exceptions that are still needed', () => {
    const strings = new Set(
      loadSources('contract', 'language', 'kernel', 'cli', 'language-server').flatMap(listStrings),
    );
    for (const name of ORDINARY.keys()) expect(strings.has(name), name).to.equal(true);
  });
});
