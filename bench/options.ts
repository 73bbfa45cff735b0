/**
 * The flags of `npm run bench -- ...`, read and bounded in one place. It decides nothing about how a run goes.
 */
import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]
  --rounds N        measured rounds (default 5)
  --seconds N       seconds per measurement (default 2)
  --rows a,b        only these rows: health, account-mine, hook, account-read, account-cached,
                    account-create, account-list, wallet-add,
                    echo; and wallet-one, which is measured only when it is named
  --targets a,b     only these targets: baseline, lintel (the baseline is always in)
  --connections N   open connections of the load generator (default 32)
  --durable         commits wait for the disk (synchronous_commit=on)
  --json FILE       also write every measurement to FILE
  --scale           compare our server with 10 and with 2,000 resources instead
  --help`;

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Null: all of them. */
  readonly rows: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly json: string | null;
  readonly durable: boolean;
  readonly scale: boolean;
  readonly help: boolean;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      connections: { type: 'string', default: '32' },
      rows: { type: 'string' },
      targets: { type: 'string' },
      json: { type: 'string' },
      durable: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    rounds: whole('--rounds', values.rounds, 1, 1000),
    seconds: whole('--seconds', values.seconds, 1, 300),
    connections: whole('--connections', values.connections, 1, 1000),
    rows: list(values.rows),
    targets: list(values.targets),
    json: values.json ?? null,
    durable: values.durable,
    scale: values.scale,
    help: values.help,
  };
}

/** The chosen items in their own order; an unknown name is an error, not an empty run. */
export function choose<T extends { readonly name: string }>(items: readonly T[], names: readonly string[] | null): T[] {
  if (names === null) return [...items];
  const unknown = names.find((name) => !items.some((item) => item.name === name));
  if (unknown !== undefined) {
    throw new Error(`"${unknown}" is none of: ${items.map((item) => item.name).join(', ')}`);
  }
  return items.filter((item) => names.includes(item.name));
}

function whole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`${flag} takes a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

function list(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(',').map((name) => name.trim());
}
