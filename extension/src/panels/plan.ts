/** The panel that draws a resource's plan, for all resources. It refreshes on save. */
import { DiagnosticSeverity, Uri, commands, languages, window, workspace, type Diagnostic } from 'vscode';
import type { WebviewPanel } from 'vscode';
import type { ExtensionServices } from '../services.js';
import { selectViewColumn, getMediaFolder, renderPage } from './page.js';
import { pickResource } from './pick-resource.js';
import { computeLayout, type Layout } from './plan-layout.js';
import type { FlowMarks } from './plan-texts.js';
import { renderSvg } from './plan-svg.js';
import { revealRange } from './request.js';
import { readPlan, type Plan } from './plan-json.js';
import { runLintel, NOT_STARTED_MESSAGES } from '../programs.js';
import { fetchRequestShape, fetchResources, type ListedResource } from './server-requests.js';

interface PlanPanel {
  readonly panel: WebviewPanel;
  show(resource: ListedResource, marks?: FlowMarks): Promise<void>;
}

/** Messages to `media/plan.js`. */
type ToPage =
  | { readonly type: 'busy'; readonly path: string }
  | { readonly type: 'plan'; readonly path: string; readonly svg: string }
  | { readonly type: 'none'; readonly reason: string; readonly problems: readonly ShownProblem[] };

interface ShownProblem {
  readonly code: string;
  readonly message: string;
  readonly line: number;
}

type FromPage =
  | { readonly type: 'ready' | 'pick' | 'refresh' | 'export' | 'request' }
  | { readonly type: 'action'; readonly key: string }
  | { readonly type: 'line'; readonly line: number };

let open: PlanPanel | null = null;

/** `marks`: what the resource does with a value that is followed. */
export async function showPlan(
  parts: ExtensionServices,
  uri: Uri | undefined,
  id: string | undefined,
  marks: FlowMarks = {},
): Promise<void> {
  const resource = await pickResource(parts.session, uri, id);
  if (resource === undefined) return;
  open ??= openPanel(parts, () => (open = null));
  open.panel.reveal(undefined, false);
  await open.show(resource, marks);
}

function openPanel({ context, session }: ExtensionServices, closed: () => void): PlanPanel {
  const panel = window.createWebviewPanel(
    'lintel.plan',
    'Plan',
    { viewColumn: selectViewColumn(), preserveFocus: false },
    { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [getMediaFolder(context)] },
  );
  let [resource, layout, running]: [ListedResource | null, Layout | null, AbortController | null] = [null, null, null];
  let resolveReady = (): void => undefined;
  const isReady = new Promise<void>((resolve) => (resolveReady = resolve));
  const postToPage = (message: ToPage): void => void isReady.then(() => panel.webview.postMessage(message));

  async function show(next: ListedResource, marks: FlowMarks = {}): Promise<void> {
    running?.abort();
    const mine = (running = new AbortController());
    resource = next;
    panel.title = `Plan /${next.path}`;
    postToPage({ type: 'busy', path: next.path });
    const [plan, about] = await Promise.all([
      runPlan(Uri.parse(next.folder), next.id, mine.signal),
      fetchRequestShape(session, next),
    ]);
    // Another plan was requested in the meantime.
    if (mine.signal.aborted) return;
    running = null;
    layout = typeof plan === 'string' ? null : computeLayout(plan, about, marks);
    if (typeof plan === 'string') postToPage({ type: 'none', reason: plan, problems: listProblems(next) });
    else if (layout !== null) postToPage({ type: 'plan', path: next.path, svg: renderSvg(layout) });
  }

  const handleMessage = async (message: FromPage): Promise<unknown> => {
    switch (message.type) {
      case 'ready':
        return resolveReady();
      case 'pick': {
        const picked = await pickResource(session, undefined, undefined);
        return picked && show(picked);
      }
      case 'refresh':
        return resource && show(resource);
      case 'request':
        return resource && commands.executeCommand('lintel.sendRequest', resource.uri, resource.id);
      case 'export':
        return layout && resource && exportSvg(layout, resource);
      case 'action':
        return revealAction(message.key);
      case 'line': {
        const at = { line: message.line, character: 0 };
        return resource && revealRange({ uri: resource.uri, range: { start: at, end: at } });
      }
    }
  };

  /** Requests the location again, because the file may have changed. */
  async function revealAction(key: string): Promise<void> {
    const all = await fetchResources(session);
    const here = [...all].sort((a, b) => Number(b.folder === resource?.folder) - Number(a.folder === resource?.folder));
    const holder = here.find(({ actions }) => Object.hasOwn(actions, key));
    const range = holder?.actions[key];
    if (holder !== undefined && range !== undefined) await revealRange({ uri: holder.uri, range });
  }

  panel.webview.onDidReceiveMessage((message: FromPage) => void handleMessage(message));
  const saved = workspace.onDidSaveTextDocument(async ({ languageId }) => {
    if (languageId !== 'lintel' || resource === null) return;
    const all = await fetchResources(session);
    // A changed id makes it a different resource.
    const same = all.find(({ id, folder }) => id === resource?.id && folder === resource.folder);
    if (same !== undefined) await show(same);
  });
  panel.onDidDispose(() => {
    saved.dispose();
    running?.abort();
    closed();
  });
  panel.webview.html = renderPage(context, panel.webview, 'plan', PLAN_PAGE);
  context.subscriptions.push(panel);
  return { panel, show };
}

function listProblems({ uri }: ListedResource): ShownProblem[] {
  return languages
    .getDiagnostics(Uri.parse(uri))
    .filter(({ source, severity }) => source === 'lintel' && severity === DiagnosticSeverity.Error)
    .map((one) => ({
      code: getDiagnosticCode(one),
      message: one.message,
      line: one.range.start.line,
    }));
}

const getDiagnosticCode = ({ code }: Diagnostic): string =>
  String(typeof code === 'object' ? code.value : (code ?? ''));

async function exportSvg(layout: Layout, { path, folder }: ListedResource): Promise<void> {
  const name = `${path.replace(/[^\w-]+/g, '-')}.plan.svg`;
  const target = await window.showSaveDialog({
    defaultUri: Uri.joinPath(Uri.parse(folder), name),
    filters: { SVG: ['svg'] },
  });
  if (target !== undefined) await workspace.fs.writeFile(target, new TextEncoder().encode(renderSvg(layout, true)));
}

/** `media/plan.js` fills it. Tests depend on the element ids. */
const PLAN_PAGE = `
<header>
  <button id="pick" class="plain" title="Another resource"><span id="resource">...</span> <span class="dim">▾</span></button>
  <button id="refresh" class="plain">refresh</button>
  <button id="request" class="plain">send a request</button>
  <button id="export" class="plain">save as SVG...</button>
  <span id="state" class="dim" role="status"></span>
</header>
<section id="problems" class="note bad" hidden role="alert">
  <p id="problems-title"></p>
  <ul id="problem-list"></ul>
</section>
<main id="diagram"></main>
`;

/** Returns the plan, or a message why there is none. */
async function runPlan(folder: Uri, id: string, signal: AbortSignal): Promise<Plan | string> {
  // On Windows a shell runs the command: only ids without special characters.
  if (process.platform === 'win32' && !/^[\w./:~-]+$/.test(id)) return `"${id}" cannot be given to a command.`;
  // Programs run in trusted workspaces only, so plugins of the project may.
  const printed = await runLintel(folder, ['plan', id, '--format', 'json', '--trust'], signal);
  if (typeof printed === 'string') return NOT_STARTED_MESSAGES[printed];
  const { stdout, stderr, error } = printed;
  const errorText = stderr.trim();
  return readPlan(stdout) ?? (errorText === '' ? (error?.message ?? 'lintel printed no plan.') : errorText);
}
