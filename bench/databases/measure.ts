/**
 * `--databases`: rows of the benchmark on MySQL, MariaDB and MongoDB beside services by hand, and on embedded databases beside
 * servers. One database after the other; within it the rounds are interleaved, and a row is measured when its answers were equal.
 */
import { writeFile } from 'node:fs/promises';
import { loadGenerator } from '../load.js';
import { choose, type Options } from '../options.js';
import { pinnableCores } from '../proc.js';
import { errorCount, table, warnings } from '../report.js';
import { measure, type Sample } from '../rounds.js';
import { verify, verifySum } from '../verify.js';
import { type Given, type Group, openings } from './groups.js';

type Say = (line: string) => void;

export async function measureDatabases(folder: string, options: Options, say: Say): Promise<number> {
  const cores = pinnableCores();
  const given: Given = { folder, cores, connections: options.connections };
  const { fire, name } = loadGenerator(folder, cores?.rest);
  say(
    `Node ${process.version}; ${cores === null ? 'roles not pinned to cores' : 'server on one core, the rest on another'}`,
  );
  say(`${name}, ${options.rounds} rounds of ${options.seconds} s after a warm-up`);
  const results: { readonly title: string; readonly samples: Sample[] }[] = [];
  const tables: string[] = [];
  for (const opening of choose(openings, options.rows)) {
    const group = await opening.open(given);
    if ('skip' in group) {
      say(`left out: ${opening.name}, because ${group.skip}`);
      continue;
    }
    say(`\n${group.title}: ${group.about}; ${group.connections} connections`);
    const { samples, text } = await measureGroup(group, options, fire, say);
    results.push({ title: group.title, samples });
    tables.push(text);
    await group.close();
  }
  for (const text of tables) say(`\n${text}`);
  if (options.json !== null) await writeFile(options.json, `${JSON.stringify({ options, results }, null, 2)}\n`);
  const errors = errorCount(results.flatMap(({ samples }) => samples));
  if (errors > 0) say(`failed: ${errors} requests were not answered with success; the numbers mean nothing`);
  return errors === 0 ? 0 : 1;
}

async function measureGroup(
  group: Group,
  { rounds, seconds }: Options,
  fire: ReturnType<typeof loadGenerator>['fire'],
  say: Say,
): Promise<{ readonly samples: Sample[]; readonly text: string }> {
  const { title, about, rows, servers, ledger, connections } = group;
  for (const row of rows) {
    for (const server of servers) await ledger.reset(server);
    await verify(row, servers);
    for (const server of servers) await verifySum(row, server, ledger);
  }
  say(`answers verified: ${rows.map((row) => row.name).join(', ')}`);
  const samples = await measure({ servers, rows, rounds, seconds, connections, fire, ledger, say });
  for (const server of servers) if (errorCount(samples) > 0 && server.said() !== '') say(server.said());
  const words = warnings(samples).map((warning) => `\nwarning: ${warning}`);
  const names = servers.map((server) => server.name);
  return { samples, text: `${title}: ${about}\n\n${table(samples, rows, names)}${words.join('')}` };
}
