/**
 * `--databases`: rows of the benchmark on MySQL, MariaDB and MongoDB, compared with hand-written services, and on
 * embedded databases, compared with servers. One database after the other, each in interleaved rounds, after the
 * responses of a row are equal.
 */
import { writeFile } from 'node:fs/promises';
import { findLoadGenerator } from '../load.js';
import { selectByName, type Options } from '../options.js';
import { findPinnableCores } from '../proc.js';
import { countErrors, formatReportTable, listWarnings } from '../report.js';
import { measureRows, type Sample } from '../rounds.js';
import { verify, verifySum } from '../verify.js';
import { type GroupOptions, type Group, groupOpeners } from './groups.js';

type PrintLine = (line: string) => void;

export async function measureDatabases(folder: string, options: Options, print: PrintLine): Promise<number> {
  const cores = findPinnableCores();
  const given: GroupOptions = { folder, cores, connections: options.connections };
  const { fire, name } = findLoadGenerator(folder, cores?.rest);
  print(
    `Node ${process.version}; ${cores === null ? 'roles not pinned to cores' : 'server on one core, the rest on another'}`,
  );
  print(`${name}, ${options.rounds} rounds of ${options.seconds} s after a warm-up`);
  const results: { readonly title: string; readonly samples: Sample[] }[] = [];
  const tables: string[] = [];
  for (const opening of selectByName(groupOpeners, options.rows)) {
    const group = await opening.open(given);
    if ('skip' in group) {
      print(`left out: ${opening.name}, because ${group.skip}`);
      continue;
    }
    print(`\n${group.title}: ${group.about}; ${group.connections} connections`);
    const { samples, text } = await measureGroup(group, options, fire, print);
    results.push({ title: group.title, samples });
    tables.push(text);
    await group.close();
  }
  for (const text of tables) print(`\n${text}`);
  if (options.json !== null) await writeFile(options.json, `${JSON.stringify({ options, results }, null, 2)}\n`);
  const errors = countErrors(results.flatMap(({ samples }) => samples));
  if (errors > 0) print(`failed: ${errors} requests were not answered with success; the numbers mean nothing`);
  return errors === 0 ? 0 : 1;
}

async function measureGroup(
  group: Group,
  { rounds, seconds }: Options,
  fire: ReturnType<typeof findLoadGenerator>['fire'],
  print: PrintLine,
): Promise<{ readonly samples: Sample[]; readonly text: string }> {
  const { title, about, rows, servers, ledger, connections } = group;
  for (const row of rows) {
    for (const server of servers) await ledger.reset(server);
    await verify(row, servers);
    for (const server of servers) await verifySum(row, server, ledger);
  }
  print(`answers verified: ${rows.map((row) => row.name).join(', ')}`);
  const samples = await measureRows({ servers, rows, rounds, seconds, connections, fire, ledger, print });
  for (const server of servers) if (countErrors(samples) > 0 && server.getOutput() !== '') print(server.getOutput());
  const words = listWarnings(samples).map((warning) => `\nwarning: ${warning}`);
  const names = servers.map((server) => server.name);
  return { samples, text: `${title}: ${about}\n\n${formatReportTable(samples, rows, names)}${words.join('')}` };
}
