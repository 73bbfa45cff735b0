/** Results of mutants: one JSON object a line while the tool runs, a summary at its end. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Mutation } from './mutation.js';

export type Outcome = 'killed' | 'timeout' | 'survived' | 'uncovered' | 'equivalent';

export interface MutantResult extends Pick<Mutation, 'id' | 'kind' | 'file' | 'line' | 'column' | 'before' | 'after'> {
  readonly outcome: Outcome;
  /** Test files that ran, in this order; the last one killed the mutant. */
  readonly tests: readonly string[];
  /** The budget left out test files that execute the line. */
  readonly isCut: boolean;
  readonly test: string | null;
  readonly message: string | null;
  readonly ms: number;
}

export interface ResultFile {
  readonly known: ReadonlyMap<string, MutantResult>;
  add(result: MutantResult): void;
}

export function openResults(path: string, resume: boolean): ResultFile {
  mkdirSync(dirname(path), { recursive: true });
  const isThere = resume && existsSync(path);
  if (!isThere) writeFileSync(path, '');
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const known = new Map(lines.map((line) => JSON.parse(line) as MutantResult).map((result) => [result.id, result]));
  return { known, add: (result) => appendFileSync(path, `${JSON.stringify(result)}\n`) };
}

export const isKill = ({ outcome }: MutantResult): boolean => outcome === 'killed' || outcome === 'timeout';
export const isSurvivor = ({ outcome }: MutantResult): boolean => outcome === 'survived' || outcome === 'uncovered';

export function formatResult(result: MutantResult): string {
  const { id, kind, outcome, file, line, before, after, test, tests, isCut, ms } = result;
  const ran = tests.length === 0 ? '' : `, ${tests.length} test files${isCut ? ', cut to the budget' : ''}`;
  const by = test === null ? '' : `\n    by ${tests.at(-1) ?? ''}: ${test}`;
  const head = `${outcome} ${id} ${kind} ${file}:${line} (${(ms / 1000).toFixed(1)} s${ran})`;
  return `${head}\n    - ${before}\n    + ${after === '' ? '(removed)' : after}${by}`;
}

/** The whole report; its last line can be read by a script. */
export function formatSummary(results: readonly MutantResult[]): string {
  const count = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length;
  const survivors = results.filter(isSurvivor);
  const killed = results.filter(isKill).length;
  const share = formatShare(killed, survivors.length);
  return [
    ...(survivors.length > 0 ? ['', 'Survivors', ...survivors.map(formatResult)] : []),
    '',
    ...formatFolders(results),
    '',
    `killed ${count('killed')}, timeout ${count('timeout')}, survived ${count('survived')}, not covered ${count('uncovered')}, ` +
      `equivalent ${count('equivalent')}`,
    `${killed} killed, ${survivors.length} survived, ${count('equivalent')} equivalent (${share})`,
  ].join('\n');
}

const formatShare = (killed: number, survived: number): string =>
  killed + survived === 0 ? '-' : `${((100 * killed) / (killed + survived)).toFixed(1)} %`;

/** `plugins/queues`: a group of plugins or a part of the kernel. */
const toFolder = ({ file }: MutantResult): string =>
  file.startsWith('language-server/') ? 'language-server' : file.split('/').slice(0, 2).join('/').replace(/\.ts$/, '');

function formatFolders(results: readonly MutantResult[]): string[] {
  const folders = [...new Set(results.map(toFolder))].sort();
  const rows = folders.map((folder) => {
    const own = results.filter((result) => toFolder(result) === folder);
    const [killed, survived] = [own.filter(isKill).length, own.filter(isSurvivor).length];
    return [folder, String(killed), String(survived), formatShare(killed, survived)];
  });
  return [['folder', 'killed', 'survived', 'share'], ...rows].map(([folder = '', ...numbers]) =>
    [folder.padEnd(28), ...numbers.map((number) => number.padStart(9))].join(''),
  );
}
