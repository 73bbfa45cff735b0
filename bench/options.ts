/** Reads and validates the flags of `npm run bench`. */
import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]
  --rounds N        measured rounds (default 5)
  --seconds N       seconds per measurement (default 2)
  --rows a,b        only these rows (the table in the README names them), among them wallet-one and quote-fetch, which are
                    measured only when they are named
  --targets a,b     these targets: baseline (always in), lintel, fastify, koa-tuned, node-http (default lintel)
  --connections N   open connections of the load generator (default 32)
  --durable         commits wait for the disk (synchronous_commit=on)
  --json FILE       also write every measurement to FILE
  --scale           compare our server with 10 and with 2,000 resources instead
  --uploads         measure uploads of 10 MB instead (time, CPU, peak memory)
  --jobs            measure jobs added, run and accepted instead (--rows embedded,postgres,redis,mongo: these stores only)
  --databases       measure rows on other databases instead (--rows mysql,mariadb,mongodb,embedded: these only)
  --processes       compare one process with two, PgBouncer and a replica instead
  --sockets         measure clients that stay connected instead (--count N: idle connections, default 10000;
                    --rows messages,answers,idle: these only)
  --overload        measure half, all and twice the load that a server can bear instead (p50, p99, refusals)
  --latency         measure each row at half of what the hand-written service can do instead (p50, p99)
  --kills           kill serving processes under load instead, and check the result of all work (--count N: kills, default 200)
  --editor          compare the language server with a JSON Schema service instead
  --help`;

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Null: all. */
  readonly rows: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly json: string | null;
  readonly durable: boolean;
  readonly scale: boolean;
  readonly uploads: boolean;
  readonly jobs: boolean;
  readonly databases: boolean;
  readonly processes: boolean;
  readonly sockets: boolean;
  readonly overload: boolean;
  readonly latency: boolean;
  readonly kills: boolean;
  readonly editor: boolean;
  /** Number of idle connections or of kills; null: the default. */
  readonly count: number | null;
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
      uploads: { type: 'boolean', default: false },
      jobs: { type: 'boolean', default: false },
      databases: { type: 'boolean', default: false },
      processes: { type: 'boolean', default: false },
      sockets: { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
      latency: { type: 'boolean', default: false },
      kills: { type: 'boolean', default: false },
      editor: { type: 'boolean', default: false },
      count: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    rounds: parseWholeNumber('--rounds', values.rounds, 1, 1000),
    seconds: parseWholeNumber('--seconds', values.seconds, 1, 300),
    connections: parseWholeNumber('--connections', values.connections, 1, 1000),
    rows: parseList(values.rows),
    targets: parseList(values.targets),
    json: values.json ?? null,
    durable: values.durable,
    scale: values.scale,
    uploads: values.uploads,
    jobs: values.jobs,
    databases: values.databases,
    processes: values.processes,
    sockets: values.sockets,
    overload: values.overload,
    latency: values.latency,
    kills: values.kills,
    editor: values.editor,
    count: values.count === undefined ? null : parseWholeNumber('--count', values.count, 1, 10_000),
    help: values.help,
  };
}

/** Returns the named items in their original order. An unknown name is an error. */
export function selectByName<T extends { readonly name: string }>(
  items: readonly T[],
  names: readonly string[] | null,
): T[] {
  if (names === null) return [...items];
  const unknown = names.find((name) => !items.some((item) => item.name === name));
  if (unknown !== undefined) {
    throw new Error(`"${unknown}" is none of: ${items.map((item) => item.name).join(', ')}`);
  }
  return items.filter((item) => names.includes(item.name));
}

function parseWholeNumber(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`${flag} takes a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

function parseList(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(',').map((name) => name.trim());
}
