/**
 * Single mistakes of authors in valid applications: the problem, its position, and whether an offered fix works. The
 * tables are in `test/fixtures/author-mistakes`, one line for each: original => replacement :: problem.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { createAnalyser, type Analyser, type SourceFile } from '../../language/analysis/analyse.js';
import { analyseConfig } from '../../language/analysis/config.js';
import type { Fix, Problem } from '../../contract/problem.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { applyEdits } from '../../language/source/apply.js';
import { createBuiltinRegistry, SQL } from './fixtures.js';
import { ROOT, SAMPLE_ENV } from './project.js';

const TABLES = join(ROOT, 'test', 'fixtures', 'author-mistakes');
const APPLICATIONS_FOLDER = join(ROOT, 'test', 'foreign-applications');
const SUB0 = JSON.stringify({ profile: 'sub0', websocket: { enabled: true } });

export interface Mistake {
  readonly set: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The expected code; `database` if only a database reports it; `fine` if nothing is wrong. */
  readonly code: string;
  /** A fix that leaves no problem is expected. */
  readonly isFixable: boolean;
  /** The text of the marked line, if it is another one. */
  readonly at: string | null;
}

/** Problems of a mistake that the application does not have without it. */
export interface MistakeReport {
  readonly reported: readonly Problem[];
  /** The codes on the line of the mistake. */
  readonly codesAtMistake: readonly string[];
  /** A fix leaves no problem. */
  readonly isFixed: boolean;
  /** Fixes that need no decision and add a problem. */
  readonly misleading: readonly string[];
}

interface Application {
  readonly files: ReadonlyMap<string, string>;
  readonly analyser: Analyser;
  readonly options: Parameters<Analyser['analyseAll']>[1];
  readonly known: ReadonlySet<string>;
}

const registry = createBuiltinRegistry();

export const listMistakeSets = (): string[] => readdirSync(TABLES).map((name) => name.replace(/\.txt$/, ''));

export function readMistakes(set: string): Mistake[] {
  let file = '';
  return readFileSync(join(TABLES, `${set}.txt`), 'utf8')
    .split('\n')
    .flatMap((line): Mistake[] => {
      if (line.startsWith('## ')) file = line.slice(3);
      const [, before, after, rest = ''] = /^(.+?) => (.*?)(?: :: (.*))?$/.exec(line) ?? [];
      if (before === undefined || after === undefined || line.startsWith('## ')) return [];
      const [reported = '', at = null] = rest.split(' @ ');
      const [code = '', fix] = reported.trim().split(' ');
      return [{ set, file, before, after, code, isFixable: fix === 'fix', at }];
    });
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

export function loadApplication(set: string): Application {
  const isSample = set === 'sample';
  const folder = isSample ? ROOT : join(APPLICATIONS_FOLDER, set);
  const names = filesUnder(isSample ? join(ROOT, 'definitions') : folder);
  const files = new Map(
    names.map((name) => [relative(folder, name).split(sep).join('/'), readFileSync(name, 'utf8')] as const),
  );
  const env = createEnvFacts(isSample ? SAMPLE_ENV : parseEnv(readFileSync(join(folder, 'production.env'), 'utf8')));
  const config = isSample ? readFileSync(join(ROOT, 'lintel.config.json'), 'utf8') : SUB0;
  const given = analyseConfig('lintel.config.json', config, registry, env).config;
  const analyser = createAnalyser(registry);
  const options = { env, sql: SQL, given };
  const { problems } = analyser.analyseAll(toSourceFiles(files), options);
  return { files, analyser, options, known: new Set(problems.map(formatProblemKey)) };
}

const toSourceFiles = (files: ReadonlyMap<string, string>): SourceFile[] =>
  [...files].map(([file, text]) => ({ file, text }));

const formatProblemKey = ({ code, file, range, message }: Problem): string =>
  `${code} ${file}:${range.start.line} ${message}`;

export function checkMistake(
  application: Application,
  { file, before, after, at, isFixable: isMended }: Mistake,
): MistakeReport {
  const { files, analyser, options, known } = application;
  const text = files.get(file);
  const start = text?.indexOf(before) ?? -1;
  if (text === undefined || start === -1) throw new Error(`${file} does not hold ${before}`);
  const wrong = new Map(files).set(file, text.slice(0, start) + after + text.slice(start + before.length));
  const isNew = (problem: Problem): boolean => !known.has(formatProblemKey(problem));
  const problemsIn = (set: ReadonlyMap<string, string>): Problem[] =>
    analyser.analyseAll(toSourceFiles(set), options).problems.filter(isNew);
  const reported = problemsIn(wrong);
  const getLineAt = (content: string, offset: number): number => content.slice(0, offset).split('\n').length - 1;
  const content = wrong.get(file) ?? '';
  const behind = at === null ? start : content.indexOf(at, start);
  const marked = behind === -1 ? content.indexOf(at ?? '') : behind;
  const line = getLineAt(content, marked);
  const there = reported.filter(
    (one) => at === '*' || (one.file === file && one.range.start.line <= line && one.range.end.line >= line),
  );
  const misleading: string[] = [];
  /**
   * Fixes are applied one after the other, like an author does, until no problem is left or their number does not
   * decrease.
   */
  const canFix = (set: ReadonlyMap<string, string>, found: readonly Problem[], depth: number): boolean => {
    const saidKeys = new Set(found.map(formatProblemKey));
    return found.some((problem) =>
      [problem.fix, ...(problem.others ?? [])].some((fix) => {
        if (fix === undefined) return false;
        const next = applyFix(set, fix);
        const left = problemsIn(next);
        const added = left.filter((one) => one.severity !== 'hint' && !saidKeys.has(formatProblemKey(one)));
        if (fix === problem.fix && fix.asks !== true && added.length > 0 && left.length >= found.length)
          misleading.push(
            `${before} => ${after}: ${problem.code} "${fix.title}" adds ${added.map(formatProblemKey).join(', ')}`,
          );
        return left.length === 0 || (depth > 0 && left.length < found.length && canFix(next, left, depth - 1));
      }),
    );
  };
  // Without an expected fix only one step is checked: whether it misleads.
  const fixed = there.length > 0 && canFix(wrong, reported, isMended ? MOST_FIXES : 0);
  return { reported, codesAtMistake: there.map(({ code }) => code), isFixed: fixed, misleading };
}

/** After the first one. */
const MOST_FIXES = 8;

function applyFix(files: ReadonlyMap<string, string>, { file, range, text, more = [] }: Fix): Map<string, string> {
  const edits = [{ range, newText: text }, ...more.map((one) => ({ range: one.range, newText: one.text }))];
  return new Map(files).set(file, applyEdits(files.get(file) ?? '', edits));
}
