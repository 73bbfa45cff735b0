/** The conformance command: reads cases line by line, and prints a result for each. */
import { closeStrings } from './strings.js';
import { OPS, runLine } from './run.js';

export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** The result is the exit code. */
export async function runCommand(
  [name = '']: readonly string[],
  lines: AsyncIterable<string> | Iterable<string>,
  { out, error }: Output,
): Promise<number> {
  if (!Object.hasOwn(OPS, name)) {
    error(`Usage: npm run -s conform -- <op>, with one of: ${Object.keys(OPS).sort().join(', ')}\n`);
    return 1;
  }
  for await (const line of lines) if (line.trim() !== '') out(`${JSON.stringify(await runLine(name, line))}\n`);
  await closeStrings();
  return 0;
}
