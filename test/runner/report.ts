/**
 * Output of a run: a line for each finished file, a failure immediately, skips by reason, and the summary line last.
 */
import { availableParallelism } from 'node:os';
import type { Failure } from './messages.js';
import type { PoolListener } from './pool.js';
import { toShortName } from './files.js';

export interface Report extends PoolListener {
  begin(files: number, jobs: number): void;
  /** Prints the end of the run; the result is its exit code. */
  printSummary(isInterrupted: boolean): number;
}

interface Row {
  passed: number;
  failed: number;
  skipped: number;
}

/** Seconds without a line after which the counts so far are printed. */
const SILENCE_S = 5;

/** `formatCommand`: the command that repeats a failure, by the name of the file. */
export function createReport(
  print: (text: string) => void,
  isVerbose: boolean,
  formatCommand = (name: string): string => `npm test -- ${name}`,
): Report {
  const began = performance.now();
  const total: Row = { passed: 0, failed: 0, skipped: 0 };
  const rows = new Map<string, Row>();
  const failures: { readonly file: string; readonly failure: Failure }[] = [];
  const reasons = new Map<string, number>();
  let [files, filesDone, cpu, printedAt] = [0, 0, 0, performance.now()];

  const printLine = (text: string): void => {
    printedAt = performance.now();
    print(text);
  };
  const formatElapsed = (): string => `${((performance.now() - began) / 1000).toFixed(0)} s`;
  const countTests = ({ passed, failed, skipped }: Row): string =>
    [
      `${passed} passed`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ].join(', ');
  const progress = setInterval(() => {
    if (performance.now() - printedAt < SILENCE_S * 1000) return;
    printLine(`  ... ${formatElapsed()}: ${filesDone} of ${files} files, ${countTests(total)}`);
  }, 1000);
  progress.unref();

  return {
    begin(count, jobs) {
      files = count;
      printLine(`${count} test files, ${jobs} at a time on ${availableParallelism()} cores, Node ${process.version}`);
      printLine('of each file: seconds, processor seconds');
    },
    onTest(file, state, title, ms) {
      const row = rows.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
      rows.set(file, row);
      row[state]++;
      total[state]++;
      if (isVerbose) printLine(`  ${{ passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[state]} ${title} (${ms} ms)`);
    },
    onSkip: (_file, reason) => void reasons.set(reason, (reasons.get(reason) ?? 0) + 1),
    onFailure(file, failure) {
      failures.push({ file, failure });
      const name = toShortName(file);
      printLine(`\nFAILED ${name}: ${failure.title}\n${indent(failure.text)}\n  again: ${formatCommand(name)}\n`);
    },
    onFileDone(file, result) {
      filesDone++;
      cpu += result.cpu;
      const row = rows.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
      const times = [result.seconds, result.cpu].map((value) => value.toFixed(1).padStart(5)).join(' ');
      printLine(`  ${row.failed > 0 ? 'FAIL' : 'ok  '} ${times} s  ${toShortName(file)}: ${countTests(row)}`);
    },
    printSummary(isInterrupted) {
      clearInterval(progress);
      const ran = total.passed + total.failed;
      print('');
      for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1])) print(`${count} skipped: ${reason}`);
      for (const { file, failure } of failures)
        print(`failed: ${toShortName(file)}: ${failure.title}: ${inOneLine(failure.text)}`);
      if (ran === 0) print('failed: no test ran');
      print(`${filesDone} of ${files} files in ${formatElapsed()}, ${cpu.toFixed(0)} s of processor time in the tests`);
      if (isInterrupted) print('interrupted');
      const failed = ran === 0 ? 1 : total.failed;
      print(`${total.passed} passed, ${failed} failed, ${total.skipped} skipped`);
      return failed > 0 || isInterrupted ? 1 : 0;
    },
  };
}

const LONGEST_LINE = 300;
const indent = (text: string): string => text.replaceAll(/^/gm, '    ');

/** The summary of a failure, for where the output above is gone. */
function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line;
}
