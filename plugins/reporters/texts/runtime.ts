/** Runtimes of the reporters: text for readers, JSON, JUnit XML, and TAP 14. */
import { defineRuntime } from '../../../contract/plugin.js';
import type { ReportedCase, TestReporter } from '../../../contract/tests.js';
import { reporter } from '../kind.js';

const defineReporter = (startReport: TestReporter['startReport']) => ({
  default: defineRuntime(reporter, { create: () => ({ startReport }) }),
});

const hasFailed = ({ failures }: ReportedCase): boolean => failures.length > 0;

const SLOW = 100;

export const reportPretty = defineReporter(({ write, paint }) => {
  let group = '';
  return {
    reportCase(one) {
      const { file, group: name, id, milliseconds } = one;
      const heading = `${name} ${paint('dim', file)}`;
      if (heading !== group) write(`\n${(group = heading)}\n`);
      const time = milliseconds < SLOW ? '' : paint('dim', ` ${Math.round(milliseconds)} ms`);
      const [mark, text] = hasFailed(one) ? [paint('error', '✗'), paint('error', id)] : [paint('dim', '✓'), id];
      write(`  ${mark} ${text}${time}\n`);
    },
    finishReport(cases, milliseconds) {
      const failed = cases.filter(hasFailed);
      for (const { failures } of failed) write(`\n${failures.map(({ frame }) => frame).join('\n\n')}\n`);
      const passed = `${cases.length - failed.length} passed`;
      const counts = failed.length === 0 ? passed : `${passed}, ${paint('error', `${failed.length} failed`)}`;
      write(`\n${counts} ${paint('dim', `in ${(milliseconds / 1000).toFixed(1)} s`)}\n`);
    },
  };
});

export const reportJson = defineReporter(({ write }) => ({
  reportCase: () => undefined,
  finishReport(all, milliseconds) {
    const cases = all.map((one) => ({
      file: one.file,
      group: one.group,
      id: one.id,
      outcome: hasFailed(one) ? 'failed' : 'passed',
      milliseconds: Math.round(one.milliseconds),
      failures: one.failures.map(({ message, range, exchange }) => ({ message, range, exchange })),
    }));
    const failed = cases.filter(({ outcome }) => outcome === 'failed').length;
    const report = { passed: cases.length - failed, failed, milliseconds: Math.round(milliseconds), cases };
    write(`${JSON.stringify(report, null, 2)}\n`);
  },
}));

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 does not allow are left out. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

const formatSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

function formatJunitCase({ file, group, id, milliseconds, failures }: ReportedCase): string {
  const name = `name="${escapeXml(id)}" classname="${escapeXml(group)}" file="${escapeXml(file)}" time="${formatSeconds(milliseconds)}"`;
  if (failures.length === 0) return `    <testcase ${name}/>`;
  const rows = failures.map(({ message, range: { start } }) => {
    const at = `${file}:${start.line + 1}:${start.character + 1}`;
    const text = escapeXml(message);
    return `      <failure message="${text}">${escapeXml(at)}: ${text}</failure>`;
  });
  return `    <testcase ${name}>\n${rows.join('\n')}\n    </testcase>`;
}

export const reportJunit = defineReporter(({ write }) => ({
  reportCase: () => undefined,
  finishReport(cases) {
    const groups = new Map<string, ReportedCase[]>();
    for (const one of cases) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
    const suites = [...groups].map(([name, own]) => {
      const failed = own.filter(hasFailed).length;
      const time = own.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      const head = `name="${escapeXml(name)}" tests="${own.length}" failures="${failed}" time="${formatSeconds(time)}"`;
      return `  <testsuite ${head}>\n${own.map(formatJunitCase).join('\n')}\n  </testsuite>`;
    });
    write(
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="lintel test">\n${suites.join('\n')}\n</testsuites>\n`,
    );
  },
}));

export const reportTap = defineReporter(({ write }) => {
  let count = 0;
  // `#` begins a directive.
  const escapeName = (text: string): string => text.replace(/[\\#]/g, '\\$&').replace(/\s+/g, ' ');
  return {
    reportCase({ file, group, id, milliseconds, failures }) {
      if (count === 0) write('TAP version 14\n');
      count++;
      const isOk = failures.length === 0;
      write(`${isOk ? 'ok' : 'not ok'} ${count} - ${escapeName(`${group}: ${id}`)}\n`);
      if (isOk) return;
      const rows = failures.flatMap(({ message, range: { start } }) => [
        `    - message: ${JSON.stringify(message)}`,
        `      at: ${JSON.stringify(`${file}:${start.line + 1}:${start.character + 1}`)}`,
      ]);
      write(`  ---\n  duration_ms: ${Math.round(milliseconds)}\n  failures:\n${rows.join('\n')}\n  ...\n`);
    },
    finishReport: () => write(`1..${count}\n`),
  };
});
