/** A question that only a person at a terminal can answer; anywhere else an option has to say it beforehand. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.js';

/** False, with the reason on stderr, unless `yes` was given or somebody wrote it. */
export async function isConfirmed(
  terminal: Terminal,
  question: string,
  yes: boolean,
  loses = 'What is taken away is lost for good.',
): Promise<boolean> {
  if (yes) return true;
  const { stdin, stderr } = terminal;
  if (!stdin.isTTY || !stderr.isTTY) {
    stderr.write('Nothing was changed: changes that take something away need --yes where nobody can answer.\n');
    return false;
  }
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    lines.setPrompt(`${question} ${loses} Type yes: `);
    lines.prompt();
    // The end of the input, or Ctrl-C, is an answer too.
    const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    if (answer?.trim() === 'yes') return true;
    if (answer === undefined) stderr.write('\n');
  } finally {
    lines.close();
  }
  stderr.write('Nothing was changed.\n');
  return false;
}
