/**
 * Generates the TextMate grammar from the specs. Rules match within a line, so an unclosed quote inside a statement cannot affect
 * the rest of the file.
 */
import { listFieldsInLanguage, type Registry } from '../../language/analysis/registry.js';

export interface Rule {
  readonly name?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly include?: string;
  readonly captures?: Readonly<Record<string, Rule>>;
  readonly patterns?: readonly Rule[];
}

export interface Grammar {
  readonly $comment: string;
  readonly name: string;
  readonly scopeName: string;
  readonly patterns: readonly Rule[];
  readonly repository: Readonly<Record<string, Rule>>;
}

const TEXT = String.raw`(?:[^"\\]|\\.)*`;
const include = (...names: readonly string[]): Rule[] => names.map((name) => ({ include: name }));

export function grammarOf(registry: Registry): Grammar {
  const roots = [...registry.kinds.values()]
    .filter(({ select }) => select.by === 'root')
    .flatMap(({ kind }) => registry.names(kind));
  const statements = listFieldsInLanguage(registry, 'sql').sort();
  return {
    $comment: 'Made from the specs by `npm run generate`; edits are lost.',
    name: 'Lintel',
    scopeName: 'source.lintel',
    patterns: include('#comments', '#statement', '#key', '#text', '#number', '#constant', '#brackets'),
    repository: {
      comments: {
        patterns: [
          { name: 'comment.line.double-slash.lintel', match: '//.*$' },
          { name: 'comment.block.lintel', begin: String.raw`/\*`, end: String.raw`\*/` },
        ],
      },
      // One match for key, colon and text: the embedded grammar ends where the string ends.
      statement: {
        match: `("(?:${statements.join('|')})")\\s*(:)\\s*(")(${TEXT})(")`,
        captures: {
          1: { name: 'support.type.property-name.json.lintel' },
          2: { name: 'punctuation.separator.dictionary.key-value.json.lintel' },
          3: { name: 'punctuation.definition.string.begin.json.lintel' },
          4: {
            name: 'meta.embedded.inline.sql.lintel',
            patterns: include('#accessor', '#placeholder', '#escape', 'source.sql'),
          },
          5: { name: 'punctuation.definition.string.end.json.lintel' },
        },
        // Ignored next to `match`, but grammars that only captures reference are not loaded.
        patterns: include('source.sql'),
      },
      key: {
        name: 'support.type.property-name.json.lintel',
        match: `"(${TEXT})"(?=\\s*:)`,
        captures: {
          1: { patterns: [{ name: 'keyword.operator.document.lintel', match: '(?<=")\\$[a-z][A-Za-z]*$' }] },
        },
      },
      text: {
        name: 'string.quoted.double.json.lintel',
        match: `"(${TEXT})("|$)`,
        captures: {
          1: { patterns: include('#accessor', '#escape') },
        },
      },
      accessor: {
        patterns: [
          {
            match: `(\\$)(${roots.join('|')})(?![A-Z0-9_])((?:\\.[A-Za-z0-9_-]+)*)`,
            captures: {
              1: { name: 'punctuation.definition.variable.accessor.lintel' },
              2: { name: 'variable.language.accessor.lintel' },
              3: { name: 'variable.other.member.accessor.lintel' },
            },
          },
          // An accessor of a plugin unknown to this grammar.
          { name: 'variable.other.accessor.lintel', match: String.raw`\$[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_-]+)*` },
        ],
      },
      placeholder: { name: 'variable.parameter.placeholder.lintel', match: String.raw`\$[1-9][0-9]*` },
      escape: {
        patterns: [
          { name: 'constant.character.escape.lintel', match: String.raw`\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})` },
          { name: 'invalid.illegal.escape.lintel', match: String.raw`\\.` },
        ],
      },
      number: {
        name: 'constant.numeric.json.lintel',
        match: String.raw`-?\b[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\b`,
      },
      constant: { name: 'constant.language.json.lintel', match: String.raw`\b(?:true|false|null)\b` },
      brackets: {
        patterns: [
          { name: 'punctuation.definition.dictionary.json.lintel', match: '[{}]' },
          { name: 'punctuation.definition.array.json.lintel', match: String.raw`[\[\]]` },
          { name: 'punctuation.separator.json.lintel', match: '[,:]' },
        ],
      },
    },
  };
}
