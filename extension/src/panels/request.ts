/**
 * The panel that sends requests: the page collects input; this side sends and stores tokens and responses. One panel serves all
 * resources.
 */
import { Range, Uri, ViewColumn, commands, window, workspace, type WebviewPanel } from 'vscode';
import { baseUrlOf } from '../base-url.js';
import type { Parts } from '../commands.js';
import { mayRequest } from './allowed.js';
import { jsonOf, shownAnswer, type RawAnswer } from './answer.js';
import { buildRequest } from './build-request.js';
import { besideText, mediaOf, pageOf } from './page.js';
import { pickResource } from './pick-resource.js';
import { REQUEST_PAGE } from './request-page.js';
import type { Filled, FromPage, ToPage } from './request-messages.js';
import { NoAnswer, isRefused, send } from './send.js';
import { requestOf, type ListedResource, type RequestShape } from './server-words.js';
import { createTokenStore, type TokenStore } from './token-store.js';
import { findTokens } from './tokens.js';

interface Open {
  readonly panel: WebviewPanel;
  show(resource: ListedResource): Promise<void>;
}

let open: Open | null = null;

export async function sendRequest(parts: Parts, uri: Uri | undefined, id: string | undefined): Promise<void> {
  const resource = await pickResource(parts.session, uri, id);
  if (resource === undefined) return;
  open ??= openPanel(parts, () => (open = null));
  open.panel.reveal(undefined, false);
  await open.show(resource);
}

function openPanel(parts: Parts, closed: () => void): Open {
  const { context, session, projects } = parts;
  const panel = window.createWebviewPanel(
    'lintel.request',
    'Send Request',
    { viewColumn: besideText(), preserveFocus: false },
    { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [mediaOf(context)] },
  );
  const store = createTokenStore(context.secrets);
  let [resource, shape, running, last]: [
    ListedResource | null,
    RequestShape | null,
    AbortController | null,
    RawAnswer | null,
  ] = [null, null, null, null];
  let ready = (): void => undefined;
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const tell = (message: ToPage): void => void isReady.then(() => panel.webview.postMessage(message));

  const tellTokens = async (base: string): Promise<void> => {
    const tokens = await store.list(base);
    const good = tokens.find(({ expires }) => expires === null || expires > Date.now());
    const guarded = shape?.ways.every((way) => way.length > 0) === true;
    tell({ type: 'tokens', tokens, chosen: guarded ? (good?.key ?? null) : null });
  };

  async function show(next: ListedResource, keep = false): Promise<void> {
    const found = await requestOf(session, next);
    if (found === null) {
      void window.showInformationMessage(`No request reaches "${next.id}": nothing in it is begun by one.`);
      return;
    }
    [resource, shape] = [next, found];
    panel.title = `Request /${next.path}`;
    const base = await baseUrlOf(session, next.folder);
    tell({ type: 'show', shape: found, base, keep });
    await tellTokens(base);
  }

  async function run(filled: Filled): Promise<void> {
    if (shape === null || running !== null) return;
    const failed = (reason: string): void => tell({ type: 'failed', reason, canRun: isRefused(reason) });
    const built = buildRequest({
      ...filled,
      path: shape.path,
      headers: [...filled.headers, ...(await credentials(store, shape, filled))],
      withoutBody: shape.withoutBody.includes(filled.method),
      multipart: shape.files.length > 0,
      files: filled.files.map((file) => ({ ...file, bytes: new Uint8Array(file.bytes) })),
    });
    if ('mistake' in built) return failed(built.mistake);
    if (!(await mayRequest(built.url, context.workspaceState))) return failed('The request was not sent.');
    running = new AbortController();
    tell({ type: 'sending' });
    try {
      last = await send(built, running.signal);
      const tokens = findTokens(jsonOf(last.bytes, last.headers)).map(({ token }) => token);
      await store.remember(filled.base, tokens, `/${resource?.path ?? ''}`);
      tell({ type: 'answer', answer: shownAnswer(last), remembered: tokens.length });
      if (tokens.length > 0) await tellTokens(filled.base);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      failed(error.message);
    } finally {
      running = null;
    }
  }

  const heard = async (message: FromPage): Promise<unknown> => {
    switch (message.type) {
      case 'ready':
        return ready();
      case 'send':
        return run(message.filled);
      case 'cancel':
        return running?.abort();
      case 'pick': {
        const picked = await pickResource(session, undefined, undefined);
        return picked && show(picked);
      }
      case 'run':
        return commands.executeCommand('lintel.run', Uri.parse(resource?.folder ?? ''));
      case 'reveal':
        return resource && reveal(resource);
      case 'base':
        return tellTokens(message.base);
      case 'forget':
        await store.forget(message.base, message.token);
        return tellTokens(message.base);
      case 'open':
        return last && openBody(last);
      case 'save':
        return last && saveBody(last, projects.all()[0]?.folder);
    }
  };

  panel.webview.onDidReceiveMessage((message: FromPage) => void heard(message));
  // Validation rules may have changed; the form keeps its input.
  const saved = workspace.onDidSaveTextDocument(({ languageId }) => {
    if (languageId === 'lintel' && resource !== null && panel.visible) void show(resource, true);
  });
  panel.onDidDispose(() => {
    saved.dispose();
    running?.abort();
    closed();
  });
  panel.webview.html = pageOf(context, panel.webview, 'request', REQUEST_PAGE);
  context.subscriptions.push(panel);
  return { panel, show };
}

/** Puts the chosen token into each header of the first authentication scheme, except headers that the user typed. */
async function credentials(store: TokenStore, { ways }: RequestShape, filled: Filled): Promise<[string, string][]> {
  const token = filled.token === null ? null : await store.tokenOf(filled.base, filled.token);
  if (token === null) return [];
  const typed = new Set(filled.headers.map(([name]) => name.trim().toLowerCase()));
  const way = ways.find((one) => one.length > 0) ?? [{ header: 'Authorization', prefix: 'Bearer ' }];
  return way.flatMap(({ header, prefix }) => (typed.has(header.toLowerCase()) ? [] : [[header, `${prefix}${token}`]]));
}

export async function reveal({ uri, range }: Pick<ListedResource, 'uri' | 'range'>): Promise<void> {
  const { start, end } = range;
  await window.showTextDocument(Uri.parse(uri), {
    selection: new Range(start.line, start.character, end.line, end.character),
    viewColumn: ViewColumn.One,
  });
}

async function openBody({ bytes, headers }: RawAnswer): Promise<void> {
  const json = jsonOf(bytes, headers);
  const content = json === undefined ? new TextDecoder().decode(bytes) : JSON.stringify(json, null, 2);
  const document = await workspace.openTextDocument({ content, language: json === undefined ? 'plaintext' : 'json' });
  await window.showTextDocument(document);
}

async function saveBody({ bytes, headers }: RawAnswer, folder: Uri | undefined): Promise<void> {
  const named = /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1];
  const name = (named ?? 'answer').replace(/[/\\]/g, '_');
  const target = await window.showSaveDialog(folder === undefined ? {} : { defaultUri: Uri.joinPath(folder, name) });
  if (target !== undefined) await workspace.fs.writeFile(target, bytes);
}
