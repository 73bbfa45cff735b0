/** Reports for programs: JSON, JUnit XML, and TAP 14. */
import type { Terminal } from '../../terminal.js';
import type { CaseOutcome, Reporter } from '../outcome.js';
import { createRedactor } from './redact.js';

/** Positions are zero-based, as those of `lintel check --format json`. */
export function createJsonReporter({ stdout }: Terminal, secrets: readonly string[]): Reporter {
  const redact = createRedactor(secrets);
  return {
    reportCase: () => undefined,
    finishReport(outcomes, milliseconds) {
      const cases = outcomes.map(({ file, group, id, milliseconds: took, failures }) => ({
        file,
        group,
        id,
        outcome: failures.length === 0 ? 'passed' : 'failed',
        milliseconds: Math.round(took),
        failures: failures.map(({ message, range }) => ({ message: redact(message), range })),
      }));
      const failed = cases.filter(({ outcome }) => outcome === 'failed').length;
      const report = { passed: cases.length - failed, failed, milliseconds: Math.round(milliseconds), cases };
      stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 does not allow are left out. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

const formatSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/** JUnit XML, as CI servers read it. */
export function createJunitReporter({ stdout }: Terminal, secrets: readonly string[]): Reporter {
  const redact = createRedactor(secrets);
  const formatCase = ({ file, group, id, milliseconds, failures }: CaseOutcome): string => {
    const name = `name="${escapeXml(id)}" classname="${escapeXml(group)}" file="${escapeXml(file)}" time="${formatSeconds(milliseconds)}"`;
    if (failures.length === 0) return `    <testcase ${name}/>`;
    const rows = failures.map(({ message, range: { start } }) => {
      const at = `${file}:${start.line + 1}:${start.character + 1}`;
      const text = escapeXml(redact(message));
      return `      <failure message="${text}">${escapeXml(at)}: ${text}</failure>`;
    });
    return `    <testcase ${name}>\n${rows.join('\n')}\n    </testcase>`;
  };
  return {
    reportCase: () => undefined,
    finishReport(outcomes) {
      const groups = new Map<string, CaseOutcome[]>();
      for (const one of outcomes) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
      const suites = [...groups].map(([name, own]) => {
        const failed = own.filter(({ failures }) => failures.length > 0).length;
        const time = own.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
        const head = `name="${escapeXml(name)}" tests="${own.length}" failures="${failed}" time="${formatSeconds(time)}"`;
        return `  <testsuite ${head}>\n${own.map(formatCase).join('\n')}\n  </testsuite>`;
      });
      stdout.write(
        `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="lintel test">\n${suites.join('\n')}\n</testsuites>\n`,
      );
    },
  };
}

/** TAP 14: one line for each case, with failures as YAML. */
export function createTapReporter({ stdout }: Terminal, secrets: readonly string[]): Reporter {
  const redact = createRedactor(secrets);
  let count = 0;
  // `#` begins a directive.
  const escapeName = (text: string): string => text.replace(/[\\#]/g, '\\$&').replace(/\s+/g, ' ');
  return {
    reportCase({ file, group, id, milliseconds, failures }) {
      if (count === 0) stdout.write('TAP version 14\n');
      count++;
      const isOk = failures.length === 0;
      stdout.write(`${isOk ? 'ok' : 'not ok'} ${count} - ${escapeName(`${group}: ${id}`)}\n`);
      if (isOk) return;
      const rows = failures.flatMap(({ message, range: { start } }) => [
        `    - message: ${JSON.stringify(redact(message))}`,
        `      at: ${JSON.stringify(`${file}:${start.line + 1}:${start.character + 1}`)}`,
      ]);
      stdout.write(`  ---\n  duration_ms: ${Math.round(milliseconds)}\n  failures:\n${rows.join('\n')}\n  ...\n`);
    },
    finishReport: () => void stdout.write(`1..${count}\n`),
  };
}
