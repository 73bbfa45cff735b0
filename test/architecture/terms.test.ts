/**
 * Terms of the source: functions are named by a verb and its object, types by nouns, and comments use the terms of
 * `docs/terms.md`. Each bound is the current number of exceptions.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { visitNodes, loadSources, type Source } from '../support/sources.js';

const SINGLE_WORDS = 47;
const OF_NAMES = 8;
const BANNED_IN_COMMENTS = 0;

const sources = loadSources('contract', 'language', 'kernel', 'cli', 'plugins', 'language-server', 'extension/src');

/** A single verb is a name where every TypeScript programmer uses it so, or where the object names the rest. */
const PLAIN_VERBS = new Set(
  `get set add delete remove has clear push pop find filter map reduce flat sort slice join split fill entries keys values each
  parse format print render write read open close start stop run execute call apply bind use on off once emit subscribe publish send
  receive connect disconnect listen accept handle dispatch next resolve reject then catch wait sleep delay retry lock unlock acquire
  release begin commit rollback insert update select query count load save store fetch put post create build make init setup register
  mount attach detach dispose destroy validate check assert verify sign hash encrypt decrypt encode decode compress serialize clone
  copy merge extend freeze seal compile transform visit walk scan tokenize match test compare not and or min max sum abs log warn error
  debug info trace report fail exit main help version show hide toggle reset refresh reload flush drain pause resume cancel abort
  escape quote wrap lookup index sample plan migrate seed health serve shape text object array string number boolean enum union literal
  tuple record pipe compose memoize is`.split(/\s+/),
);
const SPOKEN_VERB = /^(?:judge|tell|told|give|ask|lay|mend|keep|suppose)[A-Z]|^(?:judge|tell|told|lay|mend|suppose)$/;
const NO_NOUN =
  /^(?:Told|Given|Known|Kept|Placed|Whence|Soon|Found|Asked|Done|Written|Here|Beside|Said|Meant|Wanted|Sent|Made|Held|Settled|Counted|Opened|Seen|Taken|Left|Late|Early|Way|Stand|Manner|Door|Visit|Desk|Wishes|Verdict|Judge|Spot|Errand|Ear)$/;
/** Words in comments, with the term to use. */
const BANNED_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:who(?:ever|se|m)?|nobody|somebody|anybody)\b/gi, 'the caller, the client, the plugin, no consumer'],
  [/\bjudg(?:e|es|ed|ing|ement)\b/gi, 'validate, check'],
  [/\b(?:tells?|told|telling)\b/gi, 'report, log, notify, return'],
  [/\b(?:mends?|mended)\b/gi, 'fix'],
  [/\b(?:for ever|beside|whence|corridor)\b/gi, 'indefinitely, next to, source, pipeline'],
];

interface Name {
  readonly name: string;
  readonly place: string;
}

const functions: Name[] = [];
const types: Name[] = [];
for (const source of sources) collectNames(source);

function collectNames(source: Source): void {
  visitNodes(source, (node) => {
    const add = (list: Name[], name: ts.Node | undefined): void => {
      if (name !== undefined && ts.isIdentifier(name))
        list.push({ name: name.text, place: `${source.path} ${name.text}` });
    };
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) add(functions, node.name);
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined)
      if (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer)) add(functions, node.name);
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node))
      add(types, node.name);
  });
}

const listPlaces = (names: readonly Name[], isWrong: (name: string) => boolean): string[] =>
  names.filter(({ name }) => isWrong(name)).map(({ place }) => place);

function listComments({ text }: Source): string[] {
  return [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].map(([comment]) => comment);
}

describe('architecture: terms', () => {
  it('name functions by verb and object, or by one common verb', () => {
    expect(functions.length).to.be.greaterThan(4000);
    const single = listPlaces(functions, (name) => /^[a-z]{3,}$/.test(name) && !PLAIN_VERBS.has(name));
    expect(single.length, single.join('\n')).to.be.at.most(SINGLE_WORDS);
    const converters = listPlaces(functions, (name) => name.endsWith('Of'));
    expect(converters.length, converters.join('\n')).to.be.at.most(OF_NAMES);
  });

  it('name no function by a figure of speech, and no type by a participle', () => {
    expect(listPlaces(functions, (name) => SPOKEN_VERB.test(name))).to.deep.equal([]);
    expect(listPlaces(types, (name) => NO_NOUN.test(name))).to.deep.equal([]);
  });

  it('use the terms of the field in comments', () => {
    const wrong = sources.flatMap((source) =>
      listComments(source).flatMap((comment) =>
        BANNED_WORDS.flatMap(([word, term]) =>
          (comment.replaceAll(/`[^`]*`/g, '').match(word) ?? []).map(
            (found) => `${source.path}: "${found}" (use: ${term})`,
          ),
        ),
      ),
    );
    expect(wrong.length, wrong.join('\n')).to.be.at.most(BANNED_IN_COMMENTS);
  });
});
