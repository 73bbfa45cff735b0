/** The reporters of `lintel test`, by the name that `--reporter` takes. */
import type { Terminal } from '../../terminal.js';
import type { Reporter, CaseFailure } from '../outcome.js';
import { createJsonReporter, createJunitReporter, createTapReporter } from './machine.js';
import { createPaint } from '../../colors.js';
import { createRedactor } from './redact.js';
import { formatCodeFrame } from '../../../language/source/code-frame.js';

/** `secrets`: texts that no report shows. */
export const REPORTERS: Readonly<Record<string, (terminal: Terminal, secrets: readonly string[]) => Reporter>> = {
  pretty: createPrettyReporter,
  json: createJsonReporter,
  junit: createJunitReporter,
  tap: createTapReporter,
};

/** Milliseconds from which the time of a case is shown. */
const SLOW = 100;

function createPrettyReporter(terminal: Terminal, secrets: readonly string[]): Reporter {
  const paint = createPaint(terminal);
  const redact = createRedactor(secrets);
  const write = (text: string): void => void terminal.stdout.write(`${redact(text)}\n`);
  let group = '';
  const formatFailure = ({ message, doc, range }: CaseFailure, id: string): string => {
    const problem = { file: doc.file, range, severity: 'error' as const, code: 'expectation', message, related: [] };
    return formatCodeFrame(problem, getFile(doc), paint, id);
  };
  return {
    reportCase({ file, group: name, id, milliseconds, failures }) {
      const heading = `${name} ${paint('dim', file)}`;
      if (heading !== group) write(`\n${(group = heading)}`);
      const mark = failures.length === 0 ? paint('dim', '✓') : paint('error', '✗');
      const time = milliseconds < SLOW ? '' : paint('dim', ` ${Math.round(milliseconds)} ms`);
      write(`  ${mark} ${failures.length === 0 ? id : paint('error', id)}${time}`);
    },
    finishReport(outcomes, milliseconds) {
      const failed = outcomes.filter(({ failures }) => failures.length > 0);
      for (const { id, failures } of failed)
        write(`\n${failures.map((failure) => formatFailure(failure, id)).join('\n\n')}`);
      const passed = `${outcomes.length - failed.length} passed`;
      const counts = failed.length === 0 ? passed : `${passed}, ${paint('error', `${failed.length} failed`)}`;
      write(`\n${counts} ${paint('dim', `in ${(milliseconds / 1000).toFixed(1)} s`)}`);
    },
  };
}

/** Lines are those of the file. */
const getFile = (doc: CaseFailure['doc']): CaseFailure['doc'] => (doc.within === null ? doc : getFile(doc.within.doc));
