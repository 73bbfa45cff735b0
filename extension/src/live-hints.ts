/**
 * What the last request took, next to resources and actionables, while `lintel dev` runs: its address file announces it, and it sends
 * a line for each request. Only in trusted workspaces.
 */
import { get, type ClientRequest } from 'node:http';
import { Disposable, EventEmitter, InlayHint, Uri, languages, workspace, type Position } from 'vscode';
import { readDevAddress } from './dev-address.js';
import { fetchResources } from './panels/server-requests.js';
import type { Projects } from './projects.js';
import type { Session } from './client.js';
import { toRange } from './protocol-range.js';

/** As `cli/request-reports.ts` sends it. */
interface RequestReport {
  readonly resource: string;
  readonly status: number;
  readonly code?: string;
  readonly milliseconds: number;
  readonly actions: readonly ActionReport[];
}

interface ActionReport {
  readonly key: string;
  readonly milliseconds: number;
  readonly rows?: number;
  readonly code?: string;
}

/** The last requests of one `lintel dev`. */
interface Connection {
  readonly request: ClientRequest;
  readonly resources: Map<string, RequestReport>;
  readonly actions: Map<string, ActionReport>;
}

/** Milliseconds between two drawings under load. */
const PAUSE = 200;

export function showLiveHints(session: Session, projects: Projects): Disposable {
  const changed = new EventEmitter<void>();
  /** By the URI of the project's folder. */
  const open = new Map<string, Connection>();
  let drawing: NodeJS.Timeout | undefined;
  const scheduleDrawing = (): void => {
    drawing ??= setTimeout(() => {
      drawing = undefined;
      changed.fire();
    }, PAUSE);
  };

  const disconnect = (key: string): void => {
    open.get(key)?.request.destroy();
    if (open.delete(key)) scheduleDrawing();
  };

  async function connect(folder: Uri): Promise<void> {
    if (!workspace.isTrusted) return;
    const address = await readDevAddress(folder);
    const key = folder.toString();
    disconnect(key);
    if (address === null) return;
    const headers = { authorization: `Bearer ${address.token}` };
    const request = get({ host: '127.0.0.1', port: address.port, path: '/requests', headers }, (response) => {
      if (response.statusCode !== 200) {
        request.destroy();
        return;
      }
      // The server has ended.
      response.on('error', () => undefined);
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) noteReport(connection, line);
        scheduleDrawing();
      });
    });
    const connection: Connection = { request, resources: new Map(), actions: new Map() };
    open.set(key, connection);
    // The server has ended, or another one has written its address.
    request
      .on('error', () => undefined)
      .once('close', () => {
        if (open.get(key) === connection) disconnect(key);
      });
  }

  const connectAll = (): void => projects.all().forEach(({ folder }) => void connect(folder));
  const watcher = workspace.createFileSystemWatcher('**/.lintel/dev.json');
  const toFolder = (file: Uri): Uri => Uri.joinPath(file, '..', '..');
  connectAll();
  return Disposable.from(
    watcher,
    watcher.onDidCreate((file) => void connect(toFolder(file))),
    watcher.onDidChange((file) => void connect(toFolder(file))),
    watcher.onDidDelete((file) => disconnect(toFolder(file).toString())),
    projects.onDidChange(connectAll),
    workspace.onDidGrantWorkspaceTrust(connectAll),
    languages.registerInlayHintsProvider(
      { language: 'lintel', scheme: 'file' },
      {
        onDidChangeInlayHints: changed.event,
        async provideInlayHints(document, range) {
          const connection = open.get(projects.find(document.uri)?.folder.toString() ?? '');
          if (connection === undefined || connection.resources.size === 0) return [];
          const uri = document.uri.toString();
          const here = (await fetchResources(session)).filter((one) => one.uri === uri);
          const hints = here.flatMap(({ id, range: place, actions }) => [
            ...createHint(connection.resources.get(id), formatRequest, toRange(place).end),
            ...Object.entries(actions).flatMap(([key, around]) =>
              createHint(connection.actions.get(key), formatAction, toRange(around).start.translate(0, 1)),
            ),
          ]);
          return hints.filter(({ position }) => range.contains(position));
        },
      },
    ),
    new Disposable(() => {
      clearTimeout(drawing);
      for (const key of open.keys()) disconnect(key);
      changed.dispose();
    }),
  );
}

function noteReport({ resources, actions }: Connection, line: string): void {
  const report = JSON.parse(line) as RequestReport;
  resources.set(report.resource, report);
  for (const action of report.actions) actions.set(action.key, action);
}

function createHint<T>(report: T | undefined, format: (report: T) => string, position: Position): InlayHint[] {
  if (report === undefined) return [];
  const hint = new InlayHint(position, format(report));
  hint.paddingLeft = true;
  hint.tooltip = 'The last request to `lintel dev`';
  return [hint];
}

const formatTime = (milliseconds: number): string =>
  `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;

const formatRequest = ({ status, code, milliseconds }: RequestReport): string =>
  [code === undefined ? status : `${status} ${code}`, formatTime(milliseconds)].join(', ');

function formatAction({ milliseconds, rows, code }: ActionReport): string {
  const end = code ?? (rows === undefined ? undefined : rows === 1 ? '1 row' : `${rows} rows`);
  return [formatTime(milliseconds), ...(end === undefined ? [] : [end])].join(', ');
}
