/** Output on a terminal, and in a pipe: colours, a readable log, a confirmation. */
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { isConfirmed } from '../../cli/confirm.js';
import { isPretty } from '../../cli/log.js';
import { createPaint } from '../../cli/colors.js';
import type { Terminal } from '../../cli/terminal.js';

interface FakeTerminal extends Terminal {
  readonly stdin: PassThrough & { isTTY: boolean };
  readonly stderr: PassThrough & { isTTY: boolean };
}

const fakeTerminal = (isTTY: boolean, env: Readonly<Record<string, string>> = {}): FakeTerminal => {
  const stream = (): PassThrough & { isTTY: boolean } =>
    Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 80 });
  const signals = { on: () => undefined, off: () => undefined };
  return { cwd: '/', env, stdin: stream(), stdout: stream(), stderr: stream(), signals, exit: () => undefined };
};

describe('terminal', () => {
  it('has colours unless it is a pipe; NO_COLOR and FORCE_COLOR override', () => {
    const painted = (isTTY: boolean, env: Record<string, string> = {}): string =>
      createPaint(fakeTerminal(isTTY, env))('error', 'text');
    expect(painted(true)).to.equal('\u001b[1m\u001b[31mtext\u001b[39m\u001b[22m');
    expect(painted(false)).to.equal('text');
    expect(painted(true, { NO_COLOR: '1' })).to.equal('text');
    expect(painted(false, { FORCE_COLOR: '1' })).to.equal(painted(true));
  });

  it('has a readable log, and JSON on a pipe; LOG_FORMAT overrides', () => {
    expect([isPretty(fakeTerminal(true)), isPretty(fakeTerminal(false))]).to.deep.equal([true, false]);
    expect(isPretty(fakeTerminal(true, { LOG_FORMAT: 'json' }))).to.equal(false);
    expect(isPretty(fakeTerminal(false, { LOG_FORMAT: 'pretty' }))).to.equal(true);
  });
});

describe('confirmation before a removal', () => {
  const readErrorOutput = (terminal: FakeTerminal): string => String(terminal.stderr.read() ?? '');

  it('accepts only the word yes', async () => {
    for (const [typed, expected] of [
      ['yes\n', true],
      [' yes \n', true],
      ['y\n', false],
      ['\n', false],
    ] as const) {
      const terminal = fakeTerminal(true);
      const answer = isConfirmed(terminal, 'Apply these changes?', false);
      terminal.stdin.write(typed);
      expect(await answer, typed).to.equal(expected);
      const text = readErrorOutput(terminal);
      expect(text).to.contain('Apply these changes? Removed data is lost permanently. Type yes: ');
      expect(text.endsWith('Nothing was changed.\n'), typed).to.equal(!expected);
    }
  });

  it('is a no if the input ends', async () => {
    const terminal = fakeTerminal(true);
    const answer = isConfirmed(terminal, 'Apply these changes?', false);
    terminal.stdin.end();
    expect(await answer).to.equal(false);
    expect(readErrorOutput(terminal)).to.contain('Nothing was changed.\n');
  });

  it('is skipped if an option confirms, or without a terminal', async () => {
    const [reported, alone] = [fakeTerminal(true), fakeTerminal(false)];
    expect(await isConfirmed(reported, 'Apply these changes?', true)).to.equal(true);
    expect(readErrorOutput(reported)).to.equal('');
    expect(await isConfirmed(alone, 'Apply these changes?', false)).to.equal(false);
    expect(readErrorOutput(alone)).to.contain('need --yes').and.not.contain('Apply these changes?');
  });
});
