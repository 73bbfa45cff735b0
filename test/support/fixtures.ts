/**
 * Fixtures of the front end: folders of definition files with the exact list of expected problems. Read from the source
 * folder, never from the compiled one. Runs and formats them; asserts nothing.
 */
import { withProgramCodes } from '../../language/problems/with-program-codes.js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAnalyser, type Analyser, type SourceFile } from '../../language/analysis/analyse.js';
import { analyseConfig } from '../../language/analysis/config.js';
import type { Registry } from '../../language/analysis/registry.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { pluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { Fix, FileRange, Problem } from '../../contract/problem.js';
import { createDocument, type Document } from '../../language/source/document.js';
import { specs } from '../../plugins/index.spec.js';
import { kinds } from '../../plugins/index.kinds.js';
import { loadSqlParser } from '../../plugins/queries/sql/parser/load-parser.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { ROOT } from './project.js';
import { trialSpecs } from './trial-plugins.js';

export const DEFINITIONS = join(ROOT, 'test', 'fixtures', 'definitions');
const EXPECTED = 'problems.json';
export const CONFIG = 'lintel.config.json';

/** The variables that are set while fixtures are checked. */
export const FIXTURE_ENV = createEnvFacts({
  EXAMPLE_KEY: 'example-key',
  FIELD_KEY: 'thirty-two letters for one key..',
  JWT_SECRET_KEY: 'j'.repeat(64),
  GUEST_KEY: 'g'.repeat(32),
  TWIN_KEY: 'g'.repeat(32),
  SHORT_TOKEN_KEY: 'nineteen characters',
  BLANK_KEY: ' \t',
  SHORT_KEY: 'kéy',
});

/** The parser that the command line and the kernel bring. */
export const SQL = await loadSqlParser();

export const createBuiltinRegistry = (): Registry => withProgramCodes(buildRegistry(kinds, specs));
const isBuiltin = (spec: PluginSpec): boolean => specs.some((one) => pluginId(one) === pluginId(spec));
/** The distribution and the plugins of `trial-plugins.ts`; `others` replace those of their names. */
export const createTrialRegistry = (others: readonly PluginSpec[] = []): Registry =>
  buildRegistry(
    kinds,
    [...specs, ...trialSpecs.filter((spec) => !isBuiltin(spec))].map(
      (spec) => others.find((other) => pluginId(other) === pluginId(spec)) ?? spec,
    ),
  );

/** One-based positions; `text` is the covered text, so that the file is readable. */
export interface PlaceRow {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

export interface ProblemRow extends PlaceRow {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly related?: readonly (PlaceRow & { readonly message: string })[];
  readonly fix?: {
    readonly title: string;
    readonly replace: PlaceRow;
    readonly with: string;
    readonly more?: readonly { readonly replace: PlaceRow; readonly with: string }[];
    readonly asks?: true;
  };
}

export interface Fixture {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
  readonly rows: readonly ProblemRow[];
}

export const listCaseNames = (folder = DEFINITIONS): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

export function readFiles(folder: string, expected = EXPECTED): SourceFile[] {
  return readdirSync(folder)
    .filter((name) => /\.jsonc?$/.test(name) && name !== expected)
    .sort()
    .map((file) => read(join(folder, file), file));
}

function read(path: string, file: string): SourceFile {
  const bytes = readFileSync(path);
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { file, text: '', unreadable: 'it is not UTF-8 text' };
  }
}

/** All problems of a set of files; the config file among them is checked as the config. */
export function collectProblems(
  files: readonly SourceFile[],
  registry: Registry,
  analyser: Analyser = createAnalyser(registry),
): readonly Problem[] {
  const config = files.find(({ file }) => file === CONFIG);
  const definitions = files.filter(({ file }) => file !== CONFIG);
  const first = analyseConfig(CONFIG, config?.text ?? null, registry, FIXTURE_ENV);
  const given = { env: FIXTURE_ENV, sql: SQL, given: first.config };
  return [...first.problems, ...analyser.analyseAll(definitions, given).problems];
}

export function runFixture(name: string, registry: Registry): Fixture {
  const files = readFiles(join(DEFINITIONS, name));
  const problems = collectProblems(files, registry);
  const documents = new Map(files.map(({ file, text }) => [file, createDocument(file, text)]));
  return { name, files, problems, rows: problems.map((problem) => toProblemRow(problem, documents)) };
}

export const resolveExpectedFile = (name: string): string => join(DEFINITIONS, name, EXPECTED);
export const readExpectedRows = (name: string): readonly ProblemRow[] =>
  JSON.parse(readFileSync(resolveExpectedFile(name), 'utf8')) as ProblemRow[];

function toProblemRow({ code, severity, message, related, fix, ...place }: Problem, documents: Documents): ProblemRow {
  return {
    code,
    severity,
    message,
    ...placeRow(place, documents),
    ...(related.length > 0 && {
      related: related.map((other) => ({ message: other.message, ...placeRow(other, documents) })),
    }),
    ...(fix && {
      fix: {
        title: fix.title,
        replace: placeRow(fix, documents),
        with: fix.text,
        ...(fix.more && {
          more: fix.more.map(({ range, text }) => ({
            replace: placeRow({ file: fix.file, range }, documents),
            with: text,
          })),
        }),
        ...(fix.asks && { asks: fix.asks }),
      },
    }),
  };
}

type Documents = ReadonlyMap<string, Document>;

function placeRow({ file, range: { start, end } }: FileRange, documents: Documents): PlaceRow {
  const doc = documents.get(file);
  const text = doc === undefined ? '' : doc.text.slice(offsetAt(doc, start), offsetAt(doc, end));
  return {
    file,
    line: start.line + 1,
    column: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
    text: text.length > 100 ? `${text.slice(0, 100)}…` : text,
  };
}

/** Offset of a position; the test's own reading of line and column, so that it can contradict the product's. */
export function offsetAt(doc: Document, position: { readonly line: number; readonly character: number }): number {
  const lines = doc.text.split(/(?<=\r\n|\n|\r(?!\n))/);
  return lines.slice(0, position.line).join('').length + position.character;
}

/** The files after a fix, by the test's own reading of places. */
export function applyFixToFiles(files: readonly SourceFile[], fix: Fix): SourceFile[] {
  return files.map((source) => {
    if (source.file !== fix.file) return source;
    const doc = createDocument(source.file, source.text);
    const places = [fix, ...(fix.more ?? [])].map(({ range, text }) => ({
      start: offsetAt(doc, range.start),
      end: offsetAt(doc, range.end),
      text,
    }));
    places.sort((a, b) => b.start - a.start);
    const text = places.reduce((made, one) => made.slice(0, one.start) + one.text + made.slice(one.end), doc.text);
    return { ...source, text };
  });
}
