/**
 * Precise block coverage of this process by V8's own profiler: each call returns what was executed since the previous
 * one.
 */
import { Session, type Profiler } from 'node:inspector';
import type { ScriptCoverage } from './messages.js';

const OURS = /\/dist\/(contract|language|kernel|cli|plugins|language-server)\//;

/** Begins to count; scripts that are loaded later are counted block by block. */
export function startProfiler(): () => ScriptCoverage[] {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return () => {
    let scripts: Profiler.ScriptCoverage[] = [];
    // Called back before `post` returns.
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      scripts = taken.result;
    });
    return scripts
      .filter(isExecuted)
      .map(({ url, functions }) => [
        url,
        functions.map(({ ranges }) =>
          ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count] as const),
        ),
      ]);
  };
}

const isExecuted = ({ url, functions }: Profiler.ScriptCoverage): boolean =>
  OURS.test(url) && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
