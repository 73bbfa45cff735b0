/**
 * Diagnostics for clients that request them. A request is answered when the text that the client has is analysed; a request for the
 * workspace stays open and receives what changes. What changes otherwise is announced by one refresh request.
 */
import { createHash } from 'node:crypto';
import type {
  CancellationToken,
  ClientCapabilities,
  Connection,
  Diagnostic,
  DocumentDiagnosticParams,
  DocumentDiagnosticReport,
  FullDocumentDiagnosticReport,
  RelatedFullDocumentDiagnosticReport,
  UnchangedDocumentDiagnosticReport,
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
  WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver';
import type { DiagnosticReports, ReportOwner } from './diagnostic-reports.js';
import { LSPErrorCodes, ResponseError } from './protocol.js';

/** Without the refresh request, a client does not learn that another file has changed its problems. */
export const requestsDiagnostics = ({ textDocument, workspace }: ClientCapabilities): boolean =>
  textDocument?.diagnostic !== undefined && workspace?.diagnostics?.refreshSupport === true;

interface PulledOptions {
  readonly connection: Connection;
  readonly getClient: () => ClientCapabilities;
  /** Undefined for a document that is not open. */
  readonly getVersion: (uri: string) => number | undefined;
  /** The URI as the reports have it. */
  readonly normalizeUri: (uri: string) => string;
  /** What a file belongs to when it is loaded; null: no problems are found in it. */
  readonly findOwner: (uri: string) => Promise<ReportOwner | null>;
  readonly listOwners: () => Promise<readonly ReportOwner[]>;
}

interface Entry {
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly text: string;
}

/** Sends what has changed since it was sent last. */
interface Stream {
  readonly sent: Map<string, string>;
  readonly send: (items: WorkspaceDocumentDiagnosticReport[]) => void;
}

const NONE: Entry = { version: undefined, diagnostics: [], text: '[]' };

export function createPulledReports(options: PulledOptions): DiagnosticReports {
  const { connection, getClient, getVersion, normalizeUri, findOwner, listOwners } = options;
  const entries = new Map<ReportOwner, Map<string, Entry>>();
  const whole = new Set<ReportOwner>();
  /** What a request for the document was answered last. */
  const answered = new Map<string, string>();
  /** What the client has of files that it did not request by themselves. */
  const passed = new Map<string, string>();
  const streams = new Set<Stream>();
  const waiting = new Set<() => void>();
  let isOver = false;

  const findEntry = (uri: string): Entry | undefined => {
    for (const own of entries.values()) {
      const found = own.get(uri);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const getText = (uri: string): string => (findEntry(uri) ?? NONE).text;

  /** Checks again after each report. Rejects when the client cancels. */
  function waitUntil(meets: () => boolean, token: CancellationToken): Promise<void> {
    return new Promise((resolve, reject) => {
      const endWait = (settle: () => void): void => {
        waiting.delete(check);
        cancellation.dispose();
        settle();
      };
      const check = (): void => {
        if (isOver || meets()) endWait(resolve);
      };
      const cancellation = token.onCancellationRequested(() => endWait(() => reject(createCancellation())));
      waiting.add(check);
      check();
    });
  }

  async function answerDocument(
    { textDocument, previousResultId }: DocumentDiagnosticParams,
    token: CancellationToken,
  ): Promise<DocumentDiagnosticReport> {
    const uri = normalizeUri(textDocument.uri);
    let owner: ReportOwner | null | undefined;
    const isAnalysed = (): boolean => {
      const version = getVersion(uri);
      const found = findEntry(uri);
      if (found !== undefined && found.version === version) return true;
      return owner === null || (owner !== undefined && version === undefined && whole.has(owner));
    };
    const noteOwner = (found: ReportOwner | null): void => {
      owner = found;
      checkWaiting();
    };
    findOwner(uri).then(noteOwner, () => noteOwner(null));
    let report: DocumentDiagnosticReport = createReport(NONE, previousResultId);
    // The report is made when the text is analysed, before a refresh is considered.
    await waitUntil(() => {
      if (!isAnalysed()) return false;
      const entry = findEntry(uri) ?? NONE;
      answered.set(uri, entry.text);
      report = { ...createReport(entry, previousResultId), ...createRelatedReports(uri) };
      return true;
    }, token);
    return report;
  }

  /** Files that are not open, where the client shows them. */
  function createRelatedReports(uri: string): Pick<RelatedFullDocumentDiagnosticReport, 'relatedDocuments'> {
    if (getClient().textDocument?.diagnostic?.relatedDocumentSupport !== true || streams.size > 0) return {};
    const items = listChanged(passed).filter(([other]) => other !== uri && getVersion(other) === undefined);
    if (items.length === 0) return {};
    for (const [other, { text }] of items) passed.set(other, text);
    return { relatedDocuments: Object.fromEntries(items.map(([other, entry]) => [other, createReport(entry)])) };
  }

  /** Files that have other problems than the client was sent. */
  function listChanged(sent: ReadonlyMap<string, string>): readonly (readonly [uri: string, Entry])[] {
    const now = new Map([...entries.values()].flatMap((own) => [...own]));
    const gone = [...sent.keys()].filter((uri) => !now.has(uri)).map((uri) => [uri, NONE] as const);
    return [...now, ...gone].filter(([uri, { text }]) => text !== (sent.get(uri) ?? NONE.text));
  }

  async function answerWorkspace(
    { previousResultIds }: WorkspaceDiagnosticParams,
    token: CancellationToken,
    send: Stream['send'] | null,
  ): Promise<WorkspaceDiagnosticReport> {
    const known = new Map(previousResultIds.map(({ uri, value }) => [normalizeUri(uri), value]));
    const sent = new Map<string, string>();
    const stream: Stream = { sent, send: send ?? (() => undefined) };
    const owners = await listOwners();
    if (send === null) await waitUntil(() => owners.every((owner) => whole.has(owner)), token);
    const listItems = (): WorkspaceDocumentDiagnosticReport[] => takeChanged(stream, known);
    const first = listItems();
    if (send === null) {
      for (const [uri, text] of sent) passed.set(uri, text);
      return { items: first };
    }
    if (first.length > 0) send(first);
    streams.add(stream);
    // Ends when the client cancels, or the server stops.
    await waitUntil(() => false, token).finally(() => streams.delete(stream));
    return { items: [] };
  }

  /** `known`: the ids of what the client has from before. */
  function takeChanged(
    { sent }: Stream,
    known: ReadonlyMap<string, string> = new Map(),
  ): WorkspaceDocumentDiagnosticReport[] {
    const before = new Map([...known.keys()].map((uri) => [uri, 'unknown'] as const));
    return listChanged(new Map([...before, ...sent])).map(([uri, entry]) => {
      sent.set(uri, entry.text);
      return { uri, version: entry.version ?? null, ...createReport(entry, known.get(uri)) };
    });
  }

  const checkWaiting = (): void => [...waiting].forEach((check) => check());

  function requestRefresh(): void {
    const isStale = ([uri, text]: readonly [string, string]): boolean => getText(uri) !== text;
    // A stream has what is not open.
    const shown = [...answered].filter(([uri]) => getVersion(uri) !== undefined || streams.size === 0);
    const stale = shown.filter(isStale);
    const isPassedStale = streams.size === 0 && [...passed].some(isStale);
    for (const [uri] of stale) answered.delete(uri);
    if (stale.length === 0 && !isPassedStale) return;
    connection.languages.diagnostics.refresh().catch(() => undefined);
  }

  connection.languages.diagnostics.on((params, token) => answerDocument(params, token));
  connection.languages.diagnostics.onWorkspace((params, token, _progress, partial) =>
    answerWorkspace(params, token, partial === undefined ? null : (items) => partial.report({ items })),
  );

  return {
    replaceReports(owner, byUri, isWhole) {
      const now = new Map<string, Entry>();
      for (const [uri, diagnostics] of byUri)
        now.set(uri, { version: getVersion(uri), diagnostics, text: JSON.stringify(diagnostics) });
      if (now.size > 0) entries.set(owner, now);
      else entries.delete(owner);
      if (isWhole) whole.add(owner);
      checkWaiting();
      for (const stream of streams) {
        const items = takeChanged(stream);
        if (items.length > 0) stream.send(items);
      }
      requestRefresh();
    },
    stop() {
      isOver = true;
      checkWaiting();
    },
  };
}

const createCancellation = (): ResponseError<void> =>
  new ResponseError(LSPErrorCodes.RequestCancelled, 'The request was cancelled.');

/** The id is that of the content, so it holds after a restart of the server. */
function createReport(
  { diagnostics, text }: Entry,
  previousId?: string,
): FullDocumentDiagnosticReport | UnchangedDocumentDiagnosticReport {
  const resultId = createHash('sha1').update(text).digest('base64url');
  return resultId === previousId
    ? { kind: 'unchanged', resultId }
    : { kind: 'full', resultId, items: [...diagnostics] };
}
