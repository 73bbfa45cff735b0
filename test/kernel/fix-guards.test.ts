/**
 * No fix touches a guard: applied to fixtures, to the sample, and to sound sets with one mistake put into them, an offered fix adds
 * no problem, takes away nothing that holds callers back, and never lets a client say what a token or a row said.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAnalyser, type SourceFile } from '../../kernel/analysis/analyse.js';
import { analyseConfig } from '../../kernel/analysis/config.js';
import type { Fix, Problem } from '../../kernel/contract/problem.js';
import { envFacts } from '../../kernel/project/environment.js';
import { randomOf, type Random } from '../support/edits.js';
import {
  applied,
  caseNames,
  CONFIG,
  DEFINITIONS,
  FIXTURE_ENV,
  readFiles,
  SQL,
  trialRegistry,
} from '../support/fixtures.js';
import { heldBy, loosened } from '../support/guards.js';
import { ROOT, SAMPLE_ENV } from '../support/project.js';
import { countRuns, runSeed, sampleCases } from '../support/sample.js';

const registry = trialRegistry();
const env = new Map([...FIXTURE_ENV, ...envFacts(SAMPLE_ENV)]);

/** What goes with these fixes held nobody back: it is written twice, or was never asked. */
const IDLE = /^(CPH_TWICE|HSH_TWICE|ACT_STOP_REFUSES|VAL_BOUND_UNUSED)$/;

/** Everything that is said of a set, and what it holds. */
function judging() {
  const analyser = createAnalyser(registry);
  return (files: readonly SourceFile[]) => {
    const config = files.find(({ file }) => file === CONFIG);
    const first = analyseConfig(CONFIG, config?.text ?? null, registry, env);
    const definitions = files.filter(({ file }) => file !== CONFIG);
    const analysis = analyser.analyse(definitions, { env, sql: SQL, given: first.config });
    return { problems: [...first.problems, ...analysis.problems], held: heldBy(analysis, registry) };
  };
}

/** Without the list of what is possible, which is shorter when a fix has written one of the fields. */
const saying = ({ code, severity, message }: Problem): string =>
  `${severity} ${code} ${message.replace(/ Possible here: .*$/, '')}`;
/** Numbers of placeholders and parameters move with a fix. */
const kindOf = (problem: Problem): string =>
  saying(problem)
    .replace(/\d+/g, '0')
    .replace(/ Did you mean .*/, '');

/** Errors behind which nothing is judged: what was there before can be told only when they are mended. */
const HIDES =
  /^(DEF|SRC|TPL|ACC|CFG|CRN|BRC)_|^(SQL_(FOREIGN|SYNTAX|TABLE|ACCESSOR)|LNK_(UNKNOWN_\w+|COLLECTION|LITERAL)|DOC_(DOLLAR|TEXT|OPERATOR))$/;
/** What a fix that asks leaves to be done: variables are set elsewhere. */
const STILL_TO_DO = /^(ENV_MISSING|BLD_KEY|TOK_KEY\w*|LTR_KEY|CPH_KEY\w*)$/;

/** Problems that are there and were not, hints aside. */
function added(mended: Problem, fix: Fix, before: readonly Problem[], after: readonly Problem[]): string[] {
  if (HIDES.test(mended.code)) return [];
  const known = before.map(kindOf);
  return after.flatMap((problem) => {
    const at = known.indexOf(kindOf(problem));
    if (at !== -1) known.splice(at, 1);
    // Nothing is known of the value of a variable that is not set.
    const isLeft = (fix.asks === true || mended.code === 'ENV_MISSING') && STILL_TO_DO.test(problem.code);
    return at !== -1 || isLeft || problem.severity === 'hint' ? [] : [saying(problem)];
  });
}

const fixesOf = ({ fix, others = [] }: Problem): readonly Fix[] => [...(fix ? [fix] : []), ...others];

/** What is wrong with the fixes that are offered for a set, and how many there are. `sound`: the set without the mistake. */
function judgeFixes(
  files: readonly SourceFile[],
  judge: ReturnType<typeof judging>,
  sound: readonly SourceFile[] | null = null,
) {
  const { problems, held } = judge(files);
  const wrong: string[] = [];
  let count = 0;
  for (const problem of problems) {
    for (const fix of fixesOf(problem)) {
      count++;
      const mended = applied(files, fix);
      // The mistake hid what the sound set holds.
      if (sound?.every(({ text }, i) => text === mended[i]?.text) === true) continue;
      const after = judge(mended);
      const faults = [
        ...added(problem, fix, problems, after.problems),
        ...(IDLE.test(problem.code) ? [] : loosened(held, after.held, () => (sound ? judge(sound).held : held))),
      ];
      if (faults.length > 0) wrong.push(`${saying(problem)} — ${fix.title}: ${faults.join('; ')}`);
    }
  }
  return { wrong, count };
}

const filesIn = (folder: string): SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonc?$/.test(name) && !name.includes('lintel.config'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

const STRING = /"(?:[^"\\\n]|\\.){2,}"/g;

/** One mistake as people make them: a letter too many or too few, a member, an entry or a word of a statement left out. */
function mistaken(files: readonly SourceFile[], random: Random): SourceFile[] {
  const at = random.below(files.length);
  return files.map((source, index) => {
    if (index !== at) return source;
    const { text } = source;
    const strings = [...text.matchAll(STRING)];
    const one = random.pick(strings);
    const from = (one.index ?? 0) + 1 + random.below(one[0].length - 2);
    const cut = (start: number, end: number, put = ''): SourceFile => ({
      ...source,
      text: text.slice(0, start) + put + text.slice(end),
    });
    const lines = text.split('\n');
    const line = random.below(lines.length);
    switch (random.below(4)) {
      case 0:
        return cut(from, from + 1);
      case 1:
        return cut(from, from, random.pick(['a', 's', '_', 'e']));
      case 2: {
        // An entry of a list, with its comma.
        const entry = [...text.matchAll(/(?<=\[)"[^"]*", |, "[^"]*"(?=\])/g)];
        if (entry.length === 0) return cut(from, from + 1);
        const gone = random.pick(entry);
        return cut(gone.index ?? 0, (gone.index ?? 0) + gone[0].length);
      }
      default:
        return { ...source, text: lines.filter((_, i) => i !== line).join('\n') };
    }
  });
}

const soundNames = [
  'definitions',
  ...caseNames().filter((name) => name.startsWith('sound-') && !name.includes('crlf') && !name.includes('mac')),
];
const soundSet = (name: string): SourceFile[] =>
  name === 'definitions' ? filesIn(join(ROOT, name)) : readFiles(join(DEFINITIONS, name));

interface Mistake {
  readonly title: string;
  readonly set: string;
  readonly right: RegExp;
  readonly wrong: string;
  readonly code: string;
  /** What the fixes of the first problem with the code say. */
  readonly fixes: readonly string[];
}

const MISTAKES: readonly Mistake[] = [
  {
    title: 'a rule left out, for columns of different types',
    set: 'sound-sql-types',
    right: /"size": \{ "type": "NUMBER" \},/,
    wrong: '',
    code: 'LNK_NO_SOURCE',
    fixes: ['write it as a value: { "literal": "size" }'],
  },
  {
    title: 'all rules left out, one of them for columns of different types',
    set: 'sound-sql-types',
    right: /"payload_validation"/,
    wrong: '"payload_validatiaon"',
    code: 'LNK_UNRULED',
    fixes: ['write it as a value: { "literal": "years" }'],
  },
  {
    title: 'a misspelt name of what is written to a column that another resource protects',
    set: 'sound-ciphers',
    right: /(?<="parameters": \[\s*)"copied"/,
    wrong: '"coped"',
    code: 'LNK_NO_SOURCE',
    fixes: ['change to "copied"'],
  },
  {
    title: 'a protected value left out of the parameters',
    set: 'sound-ciphers',
    right: /(?<="parameters": \[\s*)"copied"/,
    wrong: '',
    code: 'SQL_PLACEHOLDER_COUNT',
    fixes: [],
  },
  {
    title: 'a protected value left out before another one',
    set: 'sound-ciphers',
    right: /(?<="parameters": \[[^\]]*)"email",(?=\s*"cards")/,
    wrong: '',
    code: 'LNK_UNPROTECTED',
    fixes: [],
  },
  {
    title: 'a misspelt accessor in a list that names the fields of a document',
    set: 'sound-documents',
    right: /"\$PAYLOAD\.email"(?=, "age"\])/,
    wrong: '"$PAYaLOAD.email"',
    code: 'LNK_NO_SOURCE',
    fixes: [],
  },
  {
    title: 'a misspelt rule of a field that is compared with a column of its name',
    set: 'sound-sign-up-and-sign-in',
    right: /(?<="email": \{ "type": "EMAIL" \}, )"password"(?=: \{ "type": "STRING" \} \} \}\])/,
    wrong: '"passwrd"',
    code: 'LNK_NO_RULE',
    fixes: ['rename the rule to "password"'],
  },
  {
    title: 'a misspelt rule of a field that is read and protected',
    set: 'sound-set',
    right: /"password"(?=: \{ "type": "STRING", "min_length": 8 \})/,
    wrong: '"passwod"',
    code: 'LNK_UNDECLARED',
    fixes: ['rename the rule to "password"'],
  },
  {
    title: 'no settings of a guard whose claims no token of the usual settings has',
    set: 'definitions',
    right: /"tokenize": \{ "type": "PASETO", "encryption_key": "\$ENV\.GUEST_KEY" \},/,
    wrong: '',
    code: 'TOK_NO_SETTINGS',
    fixes: [],
  },
  {
    title: 'no settings of a guard of the usual tokens',
    set: 'sound-audited',
    right: /(?<="order-for",\s*)"tokenize": \{[^}]*\},/,
    wrong: '',
    code: 'TOK_NO_SETTINGS',
    fixes: ['add "tokenize"'],
  },
  {
    title: 'a misspelt field that hides what the set holds',
    set: 'sound-audited',
    right: /"id"(?=: "order-for")/,
    wrong: '"sid"',
    code: 'DEF_UNKNOWN_KEY',
    fixes: ['rename to "id"'],
  },
  {
    title: 'a misspelt column of an owner that the payload gives',
    set: 'sound-audited',
    right: /(?<="_order": \{[^}]*\},\s*)"user_id"/,
    wrong: '"userid"',
    code: 'SQL_COLUMN',
    fixes: ['change to userid'],
  },
  {
    title: 'a misspelt field for an owner that the payload gives',
    set: 'sound-audited',
    right: /(?<="order-for"[^]*ULID",\s*)"user_id"/,
    wrong: '"user_sid"',
    code: 'LNK_NO_SOURCE',
    fixes: ['change to "user_id"', 'declare the field "user_sid"', 'write it as a value: { "literal": "user_sid" }'],
  },
];

describe('fixes and guards', () => {
  it('of fixtures: none adds a problem or loosens a guard', () => {
    const judge = judging();
    const wrong: string[] = [];
    let count = 0;
    for (const name of sampleCases('edits', 'guards', caseNames(), 16)) {
      const found = judgeFixes(readFiles(join(DEFINITIONS, name)), judge);
      wrong.push(...found.wrong.map((text) => `${name}: ${text}`));
      count += found.count;
    }
    expect(wrong).to.deep.equal([]);
    expect(count).to.be.at.least(5);
  });

  it('of single mistakes: none adds a problem or loosens a guard', () => {
    const random = randomOf(`${runSeed} guards`);
    const judge = judging();
    const sets = soundNames.map(soundSet);
    const wrong: string[] = [];
    for (let run = countRuns('edits', 20, 400); run > 0; run--) {
      const sound = random.pick(sets);
      wrong.push(...judgeFixes(mistaken(sound, random), judge, sound).wrong);
    }
    expect(wrong).to.deep.equal([]);
  });

  const judge = judging();
  for (const { title, set, right, wrong, code, fixes } of MISTAKES)
    it(`of ${title}: ${fixes.length === 0 ? 'none' : fixes.join(', ')}`, () => {
      const sound = soundSet(set);
      const at = sound.findIndex(({ text }) => right.test(text));
      expect(at, 'the mistake can be made').to.be.at.least(0);
      const files = sound.map((source, i) =>
        i === at ? { ...source, text: source.text.replace(right, wrong) } : source,
      );
      const found = judge(files).problems.find((problem) => problem.code === code);
      expect(found && fixesOf(found).map((fix) => fix.title)).to.deep.equal(fixes);
      expect(judgeFixes(files, judge, sound).wrong).to.deep.equal([]);
    });
});
