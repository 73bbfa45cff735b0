/** The server of the tools. One tool runs at a time; answers have an upper bound. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { once } from 'node:events';
import type { Transform, Writable } from 'node:stream';
import { findNearest } from '../../language/source/suggest.js';
import { formatError } from '../format-error.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { findArgumentError, TOOLS, type Answer } from './tools.js';

/** Characters of an answer. */
const MAX_ANSWER = 60_000;
/** Requests that wait for the one that runs. */
const MAX_WAITING = 20;

const INSTRUCTIONS =
  'Lintel serves backends that are declared in JSON. Write definitions yourself; these tools read and never write. `schema` says ' +
  'what can be written, `describe` explains plugins, resources, models and problem codes, `check` finds problems (also in texts ' +
  'that are not written yet), `plan` shows what a resource does, `test` runs the test files.';

export interface ServerInput {
  readonly options: CommandOptions;
  readonly terminal: Terminal;
  /** Receives stdin, and lets messages through. */
  readonly reader: Transform;
  readonly version: string;
}

/** Resolves when the client has ended its input. */
export async function serveTools({ options, terminal, reader, version }: ServerInput): Promise<void> {
  const server = new Server({ name: 'lintel', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const runInTurn = createTurns();
  const end = new AbortController();
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, description, schema }) => ({
      name,
      description,
      inputSchema: { ...schema, type: 'object' as const },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { text, isError } = await runInTurn(() =>
      callTool(params, { options, terminal, signal: AbortSignal.any([signal, end.signal]) }),
    );
    return { content: [{ type: 'text' as const, text: boundText(text) }], isError };
  });
  const ended = once(reader, 'end');
  terminal.stdin.pipe(reader);
  await server.connect(new StdioServerTransport(reader, terminal.stdout as Writable));
  await ended;
  end.abort();
  await server.close();
}

async function callTool(
  { name, arguments: given = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
  context: Parameters<(typeof TOOLS)[number]['run']>[1],
): Promise<Answer> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) {
    const near = findNearest(
      name,
      TOOLS.map((one) => one.name),
    );
    return {
      text: `There is no tool "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
      isError: true,
    };
  }
  if (context.signal.aborted) return { text: 'The request was cancelled.', isError: true };
  const error = findArgumentError(tool.schema, given);
  if (error !== null) return { text: error, isError: true };
  try {
    return await tool.run(given, context);
  } catch (failure) {
    return { text: formatError(failure, (_, text) => text), isError: true };
  }
}

/** A check or a test uses all of the machine. */
function createTurns(): (run: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (run) => {
    if (waiting >= MAX_WAITING) return { text: 'Too many requests wait; ask again later.', isError: true };
    waiting++;
    const before = last;
    const own = before.then(run, run).finally(() => waiting--);
    last = own.catch(() => undefined);
    return own;
  };
}

function boundText(text: string): string {
  if (text.length <= MAX_ANSWER) return text;
  const rest = text.length - MAX_ANSWER;
  return `${text.slice(0, MAX_ANSWER)}\n… ${rest} more characters are left out: ask for a smaller part.`;
}
