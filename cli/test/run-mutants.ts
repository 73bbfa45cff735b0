/** Runs the cases that call a changed resource, until one of them fails. What none notices has survived. */
import { formatCodeFrame } from '../../language/source/code-frame.js';
import { createPaint } from '../colors.js';
import type { Terminal } from '../terminal.js';
import type { TestCase } from './definition.js';
import { createMutants } from './mutants.js';
import { listCalls, runCase, type CaseContext } from './run-case.js';

export interface MutantRun extends CaseContext {
  readonly cases: readonly TestCase[];
  /** Sets the text of a file in place of that on disk; null: that on disk. */
  readonly overlay: (file: string, text: string | null) => void;
  readonly terminal: Terminal;
}

type Fate = 'noticed' | 'survived' | 'invalid';

export async function runMutants(run: MutantRun): Promise<void> {
  const { server, overlay, terminal } = run;
  const { kernel } = server;
  const paint = createPaint(terminal);
  const counts: Record<Fate, number> = { noticed: 0, survived: 0, invalid: 0 };
  const calls = new Map(run.cases.map((test) => [test, listCalls(server, test)]));
  for (const mutant of createMutants(kernel.analysis(), kernel.project.registry)) {
    const { doc, range, resource, change } = mutant;
    const relevant = run.cases.filter((test) => calls.get(test)?.has(resource) === true);
    overlay(doc.file, mutant.text);
    const fate = await decideFate(run, relevant);
    overlay(doc.file, null);
    counts[fate]++;
    if (fate !== 'survived') continue;
    const how = relevant.length === 0 ? 'no case calls it' : `${relevant.length} case(s) call it, and pass`;
    const message = `"${resource}" ${change}: ${how}`;
    const problem = { file: doc.file, range, severity: 'warning' as const, code: 'survived', message, related: [] };
    terminal.stdout.write(`\n${formatCodeFrame(problem, doc, paint)}\n`);
  }
  await kernel.reload();
  const { noticed, survived, invalid } = counts;
  terminal.stdout.write(`\n${noticed} of ${noticed + survived} changes noticed, ${survived} not`);
  terminal.stdout.write(`; ${invalid} are rejected by the checker\n`);
}

async function decideFate(run: MutantRun, relevant: readonly TestCase[]): Promise<Fate> {
  const outcome = await run.server.kernel.reload();
  if (!outcome.applied) return 'invalid';
  for (const test of relevant) if ((await runCase(run, test)).failures.length > 0) return 'noticed';
  return 'survived';
}
