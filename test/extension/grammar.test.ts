/** The grammar: what is highlighted as what, also in files that are half typed. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grammar, Rule } from '../../extension/tools/grammar.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';
import { tokenizeSource } from '../support/textmate.js';
import { sampleCases } from '../support/sample.js';

const grammar = JSON.parse(readFileSync(join(ROOT, 'extension/syntaxes/lintel.tmLanguage.json'), 'utf8')) as Grammar;
const manifest = readFileSync(join(ROOT, 'extension', 'package.json'), 'utf8');
const KEY = 'support.type.property-name.json.lintel';
const STRING = 'string.quoted.double.json.lintel';
const SQL = 'meta.embedded.inline.sql.lintel';

/** Names around the first token of this text. */
function findScopes(source: string, text: string): readonly string[] {
  const found = tokenizeSource(grammar, source).find((token) => token.text === text);
  if (found === undefined) throw new Error(JSON.stringify(tokenizeSource(grammar, source).map((token) => token.text)));
  return found.scopes;
}

describe('extension: grammar', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['{ "id": "a" }', '"id"', [KEY]],
    ['{ "id": "a" }', '"a"', [STRING]],
    ['{ "id" : 5 }', '"id"', [KEY]],
    ['["a: b"]', '"a: b"', [STRING]],
    ['{ "n": -1.5e3 }', '-1.5e3', ['constant.numeric.json.lintel']],
    ['[true]', 'true', ['constant.language.json.lintel']],
    ['// "id": 1', '// "id": 1', ['comment.line.double-slash.lintel']],
    ['/* a\nb */ 1', 'b */', ['comment.block.lintel']],
    ['{ "url": "http://x" } // c', '"http://x"', [STRING]],
    ['{ "query": "SELECT 1" }', 'SELECT 1', [SQL]],
    ['{ "query": "a = $1" }', '$1', [SQL, 'variable.parameter.placeholder.lintel']],
    ['{ "text": "a = $1" }', '"a = $1"', [STRING]],
    ['{ "query": "a -- b" }', '"query"', [KEY]],
    ['{ "query": "a -- b", "n": 1 }', '"n"', [KEY]],
    [String.raw`{ "query": "\"Id\" = $2" }`, String.raw`\"`, [SQL, 'constant.character.escape.lintel']],
    ['["$PAYLOAD.a-b.0"]', 'PAYLOAD', [STRING, 'variable.language.accessor.lintel']],
    ['["$PAYLOAD.a-b.0"]', '.a-b.0', [STRING, 'variable.other.member.accessor.lintel']],
    ['["to $PAYLOAD.a."]', '.a', [STRING, 'variable.other.member.accessor.lintel']],
    ['["$DATETIME"]', 'DATETIME', [STRING, 'variable.language.accessor.lintel']],
    ['["$PAYLOADS.x"]', '$PAYLOADS.x', [STRING, 'variable.other.accessor.lintel']],
    ['{ "query": "$ENV.A" }', 'ENV', [SQL, 'variable.language.accessor.lintel']],
    ['{ "$set": {} }', '$set', [KEY, 'keyword.operator.document.lintel']],
    [String.raw`["a\nb"]`, String.raw`\n`, [STRING, 'constant.character.escape.lintel']],
    [String.raw`["a\qb"]`, String.raw`\q`, [STRING, 'invalid.illegal.escape.lintel']],
    // Half typed: a line is the furthest that an open quote reaches.
    ['{ "a": "open $ENV.X\n"b": 1', '"b"', [KEY]],
    ['{ "query": "SELECT $1\n"b": 1', '"b"', [KEY]],
  ];
  for (const [source, text, scopes] of cases) {
    it(`${JSON.stringify(source)}: ${text}`, () => expect(findScopes(source, text)).to.deep.equal(scopes));
  }

  it('contains every accessor of the specs', () => {
    const registry = createBuiltinRegistry();
    for (const name of [...registry.kinds.values()].flatMap(({ kind, select }) =>
      select.by === 'root' ? registry.names(kind) : [],
    ))
      expect(findScopes(`["$${name}"]`, name)).to.deep.equal([STRING, 'variable.language.accessor.lintel']);
  });

  it('tokenizes the whole text of any file', () => {
    const text = readFileSync(join(ROOT, 'definitions/resources/wallet.resource.json'), 'utf8');
    const ends = Array.from({ length: Math.ceil(text.length / 97) }, (_, n) => n * 97);
    for (const end of sampleCases('editor', 'ends', ends, 30)) {
      const part = text.slice(0, end);
      const all = tokenizeSource(grammar, part).map((token) => token.text);
      expect(all.join('')).to.equal(part.replaceAll('\n', ''));
    }
  });

  it('embeds SQL, and has the scope of the manifest', () => {
    // Engines load what `patterns` name; what only captures name is not loaded.
    const visited: Rule[] = [...grammar.patterns];
    for (const { include, patterns } of visited) {
      const named = include?.startsWith('#') === true ? grammar.repository[include.slice(1)] : undefined;
      if (named !== undefined && !visited.includes(named)) visited.push(named);
      visited.push(...(patterns ?? []));
    }
    expect(visited.some(({ include }) => include === 'source.sql')).to.equal(true);
    expect(manifest).to.contain(`"${SQL}": "sql"`).and.contain(`"scopeName": "${grammar.scopeName}"`);
  });
});
