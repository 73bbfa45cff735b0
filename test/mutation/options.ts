/** The command line of the tool. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/project.js';

export interface Options {
  readonly count: number;
  readonly seed: number;
  readonly jobs: number;
  readonly budgetMs: number;
  /** Ids of single mutants, or null. */
  readonly only: readonly string[] | null;
  /** Sources to mutate: `plugins/queues/**`. */
  readonly file: string | null;
  /** Test files to use: `kernel/http/*`. */
  readonly tests: string | null;
  readonly list: boolean;
  readonly resume: boolean;
  readonly out: string;
}

export const USAGE = `npm run mutate -- [options]
  --count N    mutants (300)
  --seed N     another seed draws others (1)
  --jobs N     mutants, or measured test files, at the same time (1)
  --budget N   seconds of tests for one mutant (60)
  --only ID    one mutant, or several: ID,ID
  --file GLOB  only sources that match: 'plugins/queues/**', or several: GLOB,GLOB
  --tests GLOB only test files that match: 'kernel/http/*,contracts/queues'
  --list       print the mutants, run nothing
  --out FILE   results, one JSON object a line (dist/mutation/results.jsonl)
  --resume     continue the results of --out
`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      budget: { type: 'string', default: '60' },
      only: { type: 'string' },
      file: { type: 'string' },
      tests: { type: 'string' },
      list: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      out: { type: 'string', default: join(ROOT, 'dist/mutation/results.jsonl') },
    },
  });
  return {
    count: toNumber('count', values.count),
    seed: toNumber('seed', values.seed),
    jobs: toNumber('jobs', values.jobs),
    budgetMs: toNumber('budget', values.budget) * 1000,
    only: values.only?.split(',') ?? null,
    file: values.file ?? null,
    tests: values.tests ?? null,
    list: values.list,
    resume: values.resume,
    out: values.out,
  };
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1: ${text}`);
  return value;
}

/** `*` is part of a name, `**` any folders, a comma separates several. */
export const matchesGlob = (path: string, globs: string): boolean =>
  globs.split(',').some((glob) => matchesOne(path, glob));

function matchesOne(path: string, glob: string): boolean {
  const pattern = glob
    .split('**')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(path);
}
