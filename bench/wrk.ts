/**
 * The command line and the output of wrk. A Lua script formats all requests before the load starts, so that the generator
 * only sends.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { distinctRequests, type Generator } from './generator.js';
import { buildRowRequest, type RowRequest } from './rows.js';

const createScript = (requests: readonly RowRequest[]): string => `
local prepared = {
${requests.map((request) => `  {${luaRequest(request)}},`).join('\n')}
}
local requests, next_one = {}, 0

function init(args)
  for i, one in ipairs(prepared) do
    for name, value in pairs(one.headers) do wrk.headers[name] = value end
    requests[i] = wrk.format(one.method, one.path, nil, one.body)
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d\\n", summary.requests, summary.duration,
    e.connect + e.read + e.write + e.timeout + e.status))
end
`;

export const wrk: Generator = {
  name: 'wrk',
  async buildCommand(program, { url, row, connections, seconds }, folder) {
    const file = join(folder, `${row.name}.lua`);
    const requests = Array.from({ length: distinctRequests }, (_, n) => buildRowRequest(row, n));
    await writeFile(file, createScript(requests));
    return [program, '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '5s', '-s', file, url + row.path];
  },
  parseOutcome(output) {
    const [, requests, micros, errors] = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
    if (requests === undefined) throw new Error(`wrk gave no result: ${output}`);
    return { requests: Number(requests), seconds: Number(micros) / 1e6, errors: Number(errors) };
  },
};

const luaRequest = ({ method, path, body, headers }: RowRequest): string =>
  [
    `method=${luaString(method)}`,
    `path=${luaString(path)}`,
    ...(body === undefined ? [] : [`body=${luaString(body)}`]),
    `headers={${luaFields(headers)}}`,
  ].join(', ');

/** All requests of a row have the same header names, so each one overwrites all values. */
const luaFields = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `[${luaString(name)}]=${luaString(value)}`)
    .join(', ');

/** The bodies are ASCII on one line, so only quotes and backslashes are escaped. */
function luaString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
