/** Contract of reporters: any outcome is reported without an exception, in order, and the report has every failure. */
import { expect } from 'chai';
import type { RuntimeContext } from '../../contract/plugin.js';
import type { ReportedCase, TestReporter } from '../../contract/tests.js';
import type { Plugins } from './kind-support.js';

const RANGE = { start: { line: 2, character: 4 }, end: { line: 2, character: 9 } };
const createCase = (id: string, ...messages: readonly string[]): ReportedCase =>
  Object.freeze({
    file: 'definitions/a.test.json',
    group: 'group <1> & "2"',
    id,
    milliseconds: 150.4,
    failures: messages.map((message) => Object.freeze({ message, range: RANGE, frame: `framed ${message}` })),
  });

const OUTCOMES: readonly (readonly ReportedCase[])[] = [
  [],
  [createCase('passes')],
  [createCase('passes'), createCase('fails # <2> \\ \u0007\n', 'expected 1, received ]]> "2"', 'second reason')],
];

export function reporterContract(plugins: Plugins, name: string): void {
  describe(`reporter ${name}`, () => {
    let reporter: TestReporter;
    before(async () => {
      const id = `reporter:${name}` as const;
      const runtime = await plugins.project.runtimes.get(id)?.();
      reporter = runtime?.create?.({ id, options: {} } as RuntimeContext) as TestReporter;
    });

    it('reports no case, passed cases and failures with any characters, each run by itself', () => {
      const write = (outcomes: readonly ReportedCase[]): string => {
        let written = '';
        const output = { write: (text: string) => void (written += text), paint: (_: string, text: string) => text };
        const report = reporter.startReport(output);
        for (const one of outcomes) report.reportCase(one);
        report.finishReport(outcomes, 1234.5);
        return written;
      };
      const texts = OUTCOMES.map(write);
      expect(OUTCOMES.map(write)).to.deep.equal(texts);
      expect(texts[2]).to.include('second reason');
      for (const text of texts) expect(text).to.match(/\n$/);
    });
  });
}
