/**
 * No fix weakens a guard: applied to fixtures, to the sample, and to valid sets with one mistake, an offered fix adds
 * no problem, removes no check of callers, and never lets a client set a value of a token or a row.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAnalyser, type SourceFile } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import type { Fix, Problem } from '../../../contract/problem.js';
import { createEnvFacts } from '../../../language/project/environment.js';
import { createSeededRandom, type Random } from '../../support/random-edits.js';
import {
  applyFixToFiles,
  listCaseNames,
  CONFIG,
  DEFINITIONS,
  FIXTURE_ENV,
  readFiles,
  SQL,
  createTrialRegistry,
} from '../../support/fixtures.js';
import { collectGuards, listLoosenedGuards } from '../../support/guard-inventory.js';
import { ROOT, SAMPLE_ENV } from '../../support/project.js';
import { countRuns, runSeed, sampleCases } from '../../support/sample.js';

const registry = createTrialRegistry();
const env = new Map([...FIXTURE_ENV, ...createEnvFacts(SAMPLE_ENV)]);

/** The removed part protected nothing: it is a duplicate, or was never used. */
const IDLE = /^(CPH_TWICE|HSH_TWICE|ACT_STOP_REFUSES|VAL_BOUND_UNUSED)$/;

/** All problems of a set, and its facts. */
function createGuardedValidator() {
  const analyser = createAnalyser(registry);
  return (files: readonly SourceFile[]) => {
    const config = files.find(({ file }) => file === CONFIG);
    const first = analyseConfig(CONFIG, config?.text ?? null, registry, env);
    const definitions = files.filter(({ file }) => file !== CONFIG);
    const analysis = analyser.analyseAll(definitions, { env, sql: SQL, given: first.config });
    return { problems: [...first.problems, ...analysis.problems], held: collectGuards(analysis, registry) };
  };
}

/** Without the list of possible values, which is shorter when a fix has written one of the fields. */
const formatProblem = ({ code, severity, message }: Problem): string =>
  `${severity} ${code} ${message.replace(/ Possible here: .*$/, '')}`;
/** Numbers of placeholders and parameters move with a fix. */
const getProblemKind = (problem: Problem): string =>
  formatProblem(problem)
    .replace(/\d+/g, '0')
    .replace(/ Did you mean .*/, '');

/** Errors that prevent further checks: earlier problems appear only once these are fixed. */
const HIDES =
  /^(DEF|SRC|TPL|ACC|CFG|CRN|BRC)_|^(SQL_(FOREIGN|SYNTAX|TABLE|ACCESSOR)|LNK_(UNKNOWN_\w+|COLLECTION|LITERAL)|DOC_(DOLLAR|TEXT|OPERATOR))$/;
/** Remaining work of a fix that needs review: variables are set elsewhere, and the algorithm is that of the issuer. */
const STILL_TO_DO = /^(ENV_MISSING|BLD_KEY|TOK_KEY\w*|LTR_KEY|CPH_KEY\w*|LNK_TOKEN_NONE)$/;

/** New problems, except hints. */
function listAddedProblems(fixed: Problem, fix: Fix, before: readonly Problem[], after: readonly Problem[]): string[] {
  if (HIDES.test(fixed.code)) return [];
  const known = before.map(getProblemKind);
  return after.flatMap((problem) => {
    const at = known.indexOf(getProblemKind(problem));
    if (at !== -1) known.splice(at, 1);
    // Nothing is known of the value of a variable that is not set.
    const isLeft = (fix.asks === true || fixed.code === 'ENV_MISSING') && STILL_TO_DO.test(problem.code);
    return at !== -1 || isLeft || problem.severity === 'hint' ? [] : [formatProblem(problem)];
  });
}

const listFixes = ({ fix, others = [] }: Problem): readonly Fix[] => [...(fix ? [fix] : []), ...others];

/** What is wrong with the fixes offered for a set, and their number. `valid`: the set without the mistake. */
function checkFixes(
  files: readonly SourceFile[],
  validate: ReturnType<typeof createGuardedValidator>,
  valid: readonly SourceFile[] | null = null,
) {
  const { problems, held } = validate(files);
  const wrong: string[] = [];
  let count = 0;
  for (const problem of problems) {
    for (const fix of listFixes(problem)) {
      count++;
      const fixed = applyFixToFiles(files, fix);
      // The mistake hides facts of the valid set.
      if (valid?.every(({ text }, i) => text === fixed[i]?.text) === true) continue;
      const after = validate(fixed);
      const collectValid = () => (valid ? validate(valid).held : held);
      const faults = [
        ...listAddedProblems(problem, fix, problems, after.problems),
        ...(IDLE.test(problem.code) ? [] : listLoosenedGuards(held, after.held, collectValid)),
      ];
      if (faults.length > 0) wrong.push(`${formatProblem(problem)} — ${fix.title}: ${faults.join('; ')}`);
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

/** One typical mistake: an extra or missing letter, a missing member, entry or word of a statement. */
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

const VALID_SETS = [
  'definitions',
  ...listCaseNames().filter((name) => name.startsWith('sound-') && !name.includes('crlf') && !name.includes('mac')),
];
const readValidSet = (name: string): SourceFile[] =>
  name === 'definitions' ? filesIn(join(ROOT, name)) : readFiles(join(DEFINITIONS, name));

interface Mistake {
  readonly title: string;
  readonly set: string;
  readonly right: RegExp;
  readonly wrong: string;
  readonly code: string;
  /** Titles of the fixes of the first problem with the code. */
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
    title: 'a misspelt name of a value that is written to a column that another resource protects',
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
    title: 'a misspelt column of an owner from the payload',
    set: 'sound-audited',
    right: /(?<="_order": \{[^}]*\},\s*)"user_id"/,
    wrong: '"userid"',
    code: 'SQL_COLUMN',
    fixes: ['change to userid'],
  },
  {
    title: 'a misspelt field for an owner from the payload',
    set: 'sound-audited',
    right: /(?<="order-for"[^]*ULID",\s*)"user_id"/,
    wrong: '"user_sid"',
    code: 'LNK_NO_SOURCE',
    fixes: ['change to "user_id"', 'declare the field "user_sid"', 'write it as a value: { "literal": "user_sid" }'],
  },
];

describe('fixes and guards', () => {
  it('of fixtures: no fix adds a problem or loosens a guard', () => {
    const validate = createGuardedValidator();
    const wrong: string[] = [];
    let count = 0;
    for (const name of sampleCases('edits', 'guards', listCaseNames(), 16)) {
      const found = checkFixes(readFiles(join(DEFINITIONS, name)), validate);
      wrong.push(...found.wrong.map((text) => `${name}: ${text}`));
      count += found.count;
    }
    expect(wrong).to.deep.equal([]);
    expect(count).to.be.at.least(5);
  });

  it('of single mistakes: no fix adds a problem or loosens a guard', () => {
    const random = createSeededRandom(`${runSeed} guards`);
    const validate = createGuardedValidator();
    const sets = VALID_SETS.map(readValidSet);
    const wrong: string[] = [];
    for (let run = countRuns('edits', 20, 400); run > 0; run--) {
      const valid = random.pick(sets);
      wrong.push(...checkFixes(mistaken(valid, random), validate, valid).wrong);
    }
    expect(wrong).to.deep.equal([]);
  });

  const validate = createGuardedValidator();
  for (const { title, set, right, wrong, code, fixes } of MISTAKES)
    it(`of ${title}: ${fixes.length === 0 ? 'none' : fixes.join(', ')}`, () => {
      const valid = readValidSet(set);
      const at = valid.findIndex(({ text }) => right.test(text));
      expect(at, 'the mistake can be made').to.be.at.least(0);
      const files = valid.map((source, i) =>
        i === at ? { ...source, text: source.text.replace(right, wrong) } : source,
      );
      const found = validate(files).problems.find((problem) => problem.code === code);
      expect(found && listFixes(found).map((fix) => fix.title)).to.deep.equal(fixes);
      expect(checkFixes(files, validate, valid).wrong).to.deep.equal([]);
    });
});
