/** On a terminal; without one, `--yes` is required. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.js';

/** True if `yes` is set or the user types "yes"; otherwise prints the reason. */
export async function isConfirmed(
  terminal: Terminal,
  question: string,
  yes: boolean,
  loses = 'Removed data is lost permanently.',
): Promise<boolean> {
  if (yes) return true;
  const { stdin, stderr } = terminal;
  if (!stdin.isTTY || !stderr.isTTY) {
    stderr.write('Nothing was changed: without a terminal, destructive changes need --yes.\n');
    return false;
  }
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    lines.setPrompt(`${question} ${loses} Type yes: `);
    lines.prompt();
    // End of input and Ctrl-C count as "no".
    const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    if (answer?.trim() === 'yes') return true;
    if (answer === undefined) stderr.write('\n');
  } finally {
    lines.close();
  }
  stderr.write('Nothing was changed.\n');
  return false;
}
