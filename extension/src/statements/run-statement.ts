/**
 * Runs or explains the statement of the editor on the kernel that `lintel dev` has, and shows the rows beneath. Nothing is kept: the
 * kernel rolls back. Never in an untrusted workspace.
 */
import { Uri, window, workspace, type Disposable } from 'vscode';
import type { Session } from '../client.js';
import { readDevAddress } from '../dev-address.js';
import { isRefused, NoResponseError, send } from '../panels/send.js';
import { formatRows } from './format-rows.js';
import {
  readAddress,
  type ReadStatementResult,
  type StatementContent,
  type StatementResult,
} from './statement-protocol.js';

export interface StatementRunner extends Disposable {
  /** `explains`: the plan of the database instead of the rows. */
  run(explains: boolean): Promise<void>;
}

type Answer =
  | { readonly rows: readonly object[]; readonly hasMore: boolean; readonly took: number; readonly isWrite: boolean }
  | { readonly message: string; readonly needsConfirmation?: boolean };

/** A message for the user. */
class RunError extends Error {}

const RUN = 'Run and roll back';

export function createStatementRunner(session: Session): StatementRunner {
  const output = window.createOutputChannel('Lintel SQL');
  /** Values that were given before, by what they are. */
  const given = new Map<string, string>();

  async function run(explains: boolean): Promise<void> {
    if (!workspace.isTrusted) throw new RunError('This workspace is not trusted, so no statement runs in it.');
    const { content, place, name } = await readEditor(session);
    const parameters = await promptValues(content, given);
    if (parameters === null) return;
    const statement = { sql: content.sql, parameters, connection: place.connection, explain: explains };
    let answer = await sendStatement(place.folder, { ...statement, confirmed: false });
    if ('message' in answer && answer.needsConfirmation === true) {
      const picked = await window.showWarningMessage(answer.message, { modal: true }, RUN);
      if (picked !== RUN) return;
      answer = await sendStatement(place.folder, { ...statement, confirmed: true });
    }
    if ('message' in answer) throw new RunError(answer.message);
    output.appendLine(formatRows(name, answer, explains));
    output.show(true);
  }

  return {
    run: (explains) =>
      run(explains).catch((error: unknown) => {
        if (!(error instanceof RunError)) throw error;
        void window.showErrorMessage(error.message);
      }),
    dispose: () => output.dispose(),
  };
}

interface EditorStatement {
  readonly content: StatementContent;
  readonly place: StatementResult;
  readonly name: string;
}

async function readEditor(session: Session): Promise<EditorStatement> {
  const document = window.activeTextEditor?.document;
  const address = document === undefined ? null : readAddress(document.uri);
  const client = session.client();
  if (document === undefined || address === null || client === null)
    throw new RunError('Open a statement with "Edit Statement" first.');
  const place = await client.sendRequest<StatementResult | null>('lintel/statement', address);
  const { content, message } = await client.sendRequest<ReadStatementResult>('lintel/readStatement', {
    text: document.getText(),
  });
  if (content === null) throw new RunError(message ?? 'The statement cannot be read.');
  if (place === null) throw new RunError('The definition has no statement here any more.');
  return { content, place, name: document.uri.path.replace(/^\//, '') };
}

/** The user gives what names, accessors and texts stand for; other values are as they are. Null if the user cancels. */
async function promptValues({ parameters }: StatementContent, given: Map<string, string>): Promise<unknown[] | null> {
  const values: unknown[] = [];
  for (const [i, entry] of (parameters ?? []).entries()) {
    if (typeof entry !== 'string') {
      values.push(unwrapLiteral(entry));
      continue;
    }
    const typed = await window.showInputBox({
      title: `$${i + 1} = ${entry}`,
      prompt: 'A value as JSON, or a text. `null` is NULL.',
      value: given.get(entry) ?? '',
      ignoreFocusOut: true,
    });
    if (typed === undefined) return null;
    given.set(entry, typed);
    values.push(parseValue(typed));
  }
  return values;
}

const unwrapLiteral = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'literal' in entry ? entry.literal : entry;

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const NOT_RUNNING = 'No `lintel dev` of this project runs. Start it with "Lintel: Run the Kernel".';

async function sendStatement(folder: string, statement: object): Promise<Answer> {
  const address = await readDevAddress(Uri.parse(folder));
  if (address === null) throw new RunError(NOT_RUNNING);
  const { port, token } = address;
  try {
    const { bytes } = await send(
      {
        url: `http://127.0.0.1:${port}/`,
        method: 'POST',
        headers: new Headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' }),
        body: JSON.stringify(statement),
      },
      AbortSignal.timeout(30_000),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as Answer;
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    throw new RunError(isRefused(error.message) ? NOT_RUNNING : error.message);
  }
}
