/**
 * The load generator if wrk is not installed. It needs several times the CPU time per request, so on the faster rows the
 * report warns that the generator was the limit.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { distinctRequests, type Generator } from './generator.js';
import { buildRowRequest } from './rows.js';

interface Result {
  readonly requests: { readonly total: number };
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
}

export const autocannon: Generator = {
  name: 'autocannon',
  async buildCommand(program, { url, row, connections, seconds }, folder) {
    const file = join(folder, `${row.name}.har`);
    const entries = Array.from({ length: distinctRequests }, (_, n) => {
      const { method, path, body, headers } = buildRowRequest(row, n);
      return {
        request: {
          method,
          url: url + path,
          headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
          ...(body !== undefined && { postData: { mimeType: 'application/json', text: body } }),
        },
      };
    });
    await writeFile(file, JSON.stringify({ log: { version: '1.2', entries } }));
    return [program, '-c', String(connections), '-d', String(seconds), '-t', '5', '--har', file, '--json', url];
  },
  parseOutcome(output) {
    const result = JSON.parse(output) as Result;
    // `errors` includes timeouts.
    return { requests: result.requests.total, seconds: result.duration, errors: result.errors + result.non2xx };
  },
};
