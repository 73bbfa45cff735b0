/** Attaches the edits of the sources in `actions/` to the diagnostics they fix. */
import type { CodeAction, CodeActionParams, Diagnostic, Range, WorkspaceEdit } from 'vscode-languageserver';
import { CodeActionKind } from '../protocol.js';
import type { Problem } from '../../contract/problem.js';
import { createDocumentHandler, type ServerContext, type Feature } from '../server-context.js';
import { toDiagnostic } from '../diagnostics.js';
import type { DocumentContext } from '../document-context.js';
import { fixActions, fixAllAction } from '../actions/fixes.js';
import { declarationActions } from '../actions/declarations.js';
import { dependencyActions } from '../actions/dependencies.js';
import { endpointActions } from '../actions/endpoints.js';
import { extractionActions } from '../actions/extraction.js';
import { modelActions } from '../actions/new-model.js';
import { envActions } from '../actions/env-file.js';
import { mainActions } from '../actions/main-result.js';
import { requiredActions } from '../actions/required.js';
import { ruleActions } from '../actions/rules.js';
import type { ActionSource, CodeActionOffer } from '../actions/action-source.js';

const SOURCES: readonly ActionSource[] = [
  fixActions,
  requiredActions,
  declarationActions,
  dependencyActions,
  modelActions,
  envActions,
  ruleActions,
  mainActions,
  extractionActions,
  endpointActions,
];

const FIX_ALL = `${CodeActionKind.SourceFixAll}.lintel`;

export const codeActions: Feature = {
  capabilities: () => ({
    codeActionProvider: {
      codeActionKinds: [
        CodeActionKind.QuickFix,
        CodeActionKind.RefactorRewrite,
        CodeActionKind.RefactorExtract,
        FIX_ALL,
      ],
      resolveProvider: true,
    },
  }),
  attach(server) {
    server.connection.onCodeActionResolve(async (action, token) => {
      const { title } = action;
      const data = action.data as ResolveData | undefined;
      if (data === undefined) return action;
      const resolve = createDocumentHandler<ResolveData, CodeAction>(server, action, async (view, { range }) => {
        const found = (await listOffers(server, view, range)).find((one) => one.title === title);
        return found === undefined ? action : { ...action, edit: makeEdit(found) };
      });
      return resolve(data, token);
    });
    server.connection.onCodeAction(
      createDocumentHandler(server, [], async (view, { range, context: { only } }) => {
        const isWanted = (kind: string): boolean =>
          only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
        const all = only !== undefined && isWanted(FIX_ALL) ? fixAllAction(view, FIX_ALL) : null;
        return [...(await createCodeActions(server, view, range, isWanted)), ...(all === null ? [] : [all])];
      }),
    );
  },
};

type ResolveData = Pick<CodeActionParams, 'textDocument' | 'range'>;

const makeEdit = ({ edit }: CodeActionOffer): WorkspaceEdit => (typeof edit === 'function' ? edit() : edit);

const canResolve = ({ client }: ServerContext): boolean =>
  client.textDocument?.codeAction?.resolveSupport?.properties.includes('edit') === true;

async function listOffers(server: ServerContext, view: DocumentContext, range: Range): Promise<CodeActionOffer[]> {
  const problems = view.problems.filter((problem) => isTouching(problem.range, range));
  const offers: CodeActionOffer[] = [];
  for (const source of SOURCES) offers.push(...(await source({ server, view, range, problems })));
  return offers;
}

async function createCodeActions(
  server: ServerContext,
  view: DocumentContext,
  range: Range,
  wants: (kind: string) => boolean,
): Promise<CodeAction[]> {
  const offers = await listOffers(server, view, range);
  const data: ResolveData = { textDocument: { uri: server.toClientUri(view.name) }, range };
  const alone = new Map<Problem, number>();
  for (const { fixes } of offers) for (const one of fixes) alone.set(one, (alone.get(one) ?? 0) + 1);
  const shown = new Map<Problem, Diagnostic>();
  return offers
    .map((offer): CodeAction => {
      const { title, edit, fixes, needsReview, kind = CodeActionKind.QuickFix } = offer;
      const diagnostics = fixes.map((problem) => {
        const one = shown.get(problem) ?? toDiagnostic(problem, view.project, (name) => server.toClientUri(name));
        shown.set(problem, one);
        return one;
      });
      const isOnly = needsReview !== true && fixes.length > 0 && fixes.every((problem) => alone.get(problem) === 1);
      return {
        title,
        kind,
        ...(typeof edit === 'function' && canResolve(server) ? { data } : { edit: makeEdit(offer) }),
        ...(diagnostics.length > 0 && { diagnostics }),
        ...(isOnly && { isPreferred: true }),
      };
    })
    .filter(({ kind }) => wants(kind ?? ''));
}

const isNotAfter = (a: Range['start'], b: Range['start']): boolean =>
  a.line < b.line || (a.line === b.line && a.character <= b.character);

const isTouching = (a: Range, b: Range): boolean => isNotAfter(a.start, b.end) && isNotAfter(b.start, a.end);
