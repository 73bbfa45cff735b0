/** The panel that sends requests: the page collects input; this side sends, and stores tokens and responses. */
import { Uri, ViewColumn, commands, window, workspace, type WebviewPanel } from 'vscode';
import { resolveBaseUrl } from '../base-url.js';
import type { ExtensionServices } from '../services.js';
import { toRange } from '../protocol-range.js';
import { confirmRequest } from './confirm-request.js';
import { parseJsonBody, toShownAnswer, type RawAnswer, type ShownAnswer } from './response.js';
import { buildRequest } from './build-request.js';
import { selectViewColumn, getMediaFolder, renderPage } from './page.js';
import { pickResource } from './pick-resource.js';
import { completePayload, createRequestHistory, type SentRequest } from './request-history.js';
import { REQUEST_PAGE } from './request-page.js';
import { createTokenStore, type KnownToken, type TokenStore } from './token-store.js';
import { NoResponseError, isRefused, send } from './send.js';
import { fetchRequestShape, type ListedResource, type RequestShape } from './server-requests.js';
import { findTokens } from './tokens.js';

interface RequestPanel {
  readonly panel: WebviewPanel;
  show(resource: ListedResource): Promise<void>;
}

let open: RequestPanel | null = null;

export async function sendRequest(
  parts: ExtensionServices,
  uri: Uri | undefined,
  id: string | undefined,
): Promise<void> {
  const resource = await pickResource(parts.session, uri, id);
  if (resource === undefined) return;
  open ??= openPanel(parts, () => (open = null));
  open.panel.reveal(undefined, false);
  await open.show(resource);
}

function openPanel(parts: ExtensionServices, closed: () => void): RequestPanel {
  const { context, session, projects } = parts;
  const panel = window.createWebviewPanel(
    'lintel.request',
    'Send Request',
    { viewColumn: selectViewColumn(), preserveFocus: false },
    { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [getMediaFolder(context)] },
  );
  const store = createTokenStore(context.secrets);
  const history = createRequestHistory(context.workspaceState);
  let [resource, shape, running, last]: [
    ListedResource | null,
    RequestShape | null,
    AbortController | null,
    RawAnswer | null,
  ] = [null, null, null, null];
  let resolveReady = (): void => undefined;
  const isReady = new Promise<void>((resolve) => (resolveReady = resolve));
  const postToPage = (message: ToPage): void => void isReady.then(() => panel.webview.postMessage(message));

  const postTokens = async (base: string): Promise<void> => {
    const tokens = await store.list(base);
    const good = tokens.find(({ expires }) => expires === null || expires > Date.now());
    const guarded = shape?.ways.every((way) => way.length > 0) === true;
    postToPage({ type: 'tokens', tokens, chosen: guarded ? (good?.key ?? null) : null });
  };

  async function show(next: ListedResource, keep = false): Promise<void> {
    const found = await fetchRequestShape(session, next);
    if (found === null) {
      void window.showInformationMessage(`No request reaches "${next.id}": nothing in it is begun by one.`);
      return;
    }
    [resource, shape] = [next, found];
    panel.title = `Request /${next.path}`;
    const base = await resolveBaseUrl(session, next.folder);
    postToPage({ type: 'show', shape: found, base, keep });
    postToPage({ type: 'history', sent: history.list(found) });
    await postTokens(base);
  }

  async function run(filled: RequestInput): Promise<void> {
    if (shape === null || running !== null) return;
    const postFailure = (reason: string): void => postToPage({ type: 'failed', reason, canRun: isRefused(reason) });
    const built = buildRequest({
      ...filled,
      path: shape.path,
      headers: [...filled.headers, ...(await createCredentialHeaders(store, shape, filled))],
      withoutBody: shape.withoutBody.includes(filled.method),
      multipart: shape.files.length > 0,
      files: filled.files.map((file) => ({ ...file, bytes: new Uint8Array(file.bytes) })),
    });
    if ('mistake' in built) return postFailure(built.mistake);
    if (!(await confirmRequest(built.url, context.workspaceState))) return postFailure('The request was not sent.');
    running = new AbortController();
    postToPage({ type: 'sending' });
    const { method, parameters, payload } = filled;
    const sent = shape;
    try {
      await history.add(sent, { at: Date.now(), method, parameters, payload });
      postToPage({ type: 'history', sent: history.list(sent) });
      last = await send(built, running.signal);
      const tokens = findTokens(parseJsonBody(last.bytes, last.headers)).map(({ token }) => token);
      await store.add(filled.base, tokens, `/${resource?.path ?? ''}`);
      postToPage({ type: 'answer', answer: toShownAnswer(last), remembered: tokens.length });
      if (tokens.length > 0) await postTokens(filled.base);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      postFailure(error.message);
    } finally {
      running = null;
    }
  }

  const handleMessage = async (message: FromPage): Promise<unknown> => {
    switch (message.type) {
      case 'ready':
        return resolveReady();
      case 'send':
        return run(message.filled);
      case 'complete':
        return shape && postToPage({ type: 'payload', text: completePayload(message.payload, shape.payload) });
      case 'cancel':
        return running?.abort();
      case 'pick': {
        const picked = await pickResource(session, undefined, undefined);
        return picked && show(picked);
      }
      case 'run':
        return commands.executeCommand('lintel.run', Uri.parse(resource?.folder ?? ''));
      case 'reveal':
        return resource && revealRange(resource);
      case 'base':
        return postTokens(message.base);
      case 'forget':
        await store.remove(message.base, message.token);
        return postTokens(message.base);
      case 'open':
        return last && openBody(last);
      case 'save':
        return last && saveBody(last, projects.all()[0]?.folder);
    }
  };

  panel.webview.onDidReceiveMessage((message: FromPage) => void handleMessage(message));
  // Validation rules may have changed; the form keeps its input.
  const saved = workspace.onDidSaveTextDocument(({ languageId }) => {
    if (languageId === 'lintel' && resource !== null && panel.visible) void show(resource, true);
  });
  panel.onDidDispose(() => {
    saved.dispose();
    running?.abort();
    closed();
  });
  panel.webview.html = renderPage(context, panel.webview, 'request', REQUEST_PAGE);
  context.subscriptions.push(panel);
  return { panel, show };
}

/** The chosen token, in each header of the first scheme that the user did not type. */
async function createCredentialHeaders(
  store: TokenStore,
  { ways }: RequestShape,
  filled: RequestInput,
): Promise<[string, string][]> {
  const token = filled.token === null ? null : await store.getToken(filled.base, filled.token);
  if (token === null) return [];
  const typed = new Set(filled.headers.map(([name]) => name.trim().toLowerCase()));
  const way = ways.find((one) => one.length > 0) ?? [{ header: 'Authorization', prefix: 'Bearer ' }];
  return way.flatMap(({ header, prefix }) => (typed.has(header.toLowerCase()) ? [] : [[header, `${prefix}${token}`]]));
}

export async function revealRange({ uri, range }: Pick<ListedResource, 'uri' | 'range'>): Promise<void> {
  await window.showTextDocument(Uri.parse(uri), { selection: toRange(range), viewColumn: ViewColumn.One });
}

async function openBody({ bytes, headers }: RawAnswer): Promise<void> {
  const json = parseJsonBody(bytes, headers);
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

/** Messages to `media/request.js`. */
type ToPage =
  | { readonly type: 'show'; readonly shape: RequestShape; readonly base: string; readonly keep: boolean }
  | { readonly type: 'tokens'; readonly tokens: readonly KnownToken[]; readonly chosen: string | null }
  | { readonly type: 'history'; readonly sent: readonly SentRequest[] }
  | { readonly type: 'payload'; readonly text: string }
  | { readonly type: 'sending' }
  | { readonly type: 'answer'; readonly answer: ShownAnswer; readonly remembered: number }
  | { readonly type: 'failed'; readonly reason: string; readonly canRun: boolean };

interface RequestInput {
  readonly base: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: readonly (readonly [string, string])[];
  readonly payload: string;
  /** Key of a stored token, or null. */
  readonly token: string | null;
  readonly files: readonly {
    readonly part: string;
    readonly name: string;
    readonly type: string;
    readonly bytes: ArrayBuffer;
  }[];
}

type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'send'; readonly filled: RequestInput }
  | { readonly type: 'complete'; readonly payload: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'pick' }
  | { readonly type: 'run' }
  | { readonly type: 'reveal' }
  | { readonly type: 'base'; readonly base: string }
  | { readonly type: 'forget'; readonly base: string; readonly token: string }
  | { readonly type: 'open' }
  | { readonly type: 'save' };
