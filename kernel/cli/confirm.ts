/** A question that only a person at a terminal can answer; anywhere else an option has to say it beforehand. */
import { createInterface } from 'node:readline/promises';

/** False, with the reason on stderr, unless `yes` was given or somebody wrote it. */
export async function isConfirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write('Nothing was changed: changes that take something away need --yes where nobody can answer.\n');
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} What is taken away is lost for good. Type yes: `);
    if (answer.trim() === 'yes') return true;
  } finally {
    lines.close();
  }
  process.stderr.write('Nothing was changed.\n');
  return false;
}
