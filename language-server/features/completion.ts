/** Completion: merges the items of all sources in `completion/`. */
import type { CompletionItem, CompletionList, CompletionParams } from 'vscode-languageserver';
import { InsertTextFormat } from '../protocol.js';
import type { ServerContext, Feature } from '../server-context.js';
import { createCaretHandler } from '../statements/caret-handler.js';
import { accessorItems } from '../completion/accessors.js';
import { toPlainText } from '../completion/edit.js';
import { documentItems } from '../completion/documents.js';
import { keyItems } from '../completion/keys.js';
import { sqlItems } from '../completion/sql.js';
import type { TestSamples } from '../completion/test-samples.js';
import { valueItems } from '../completion/values.js';
import { verifyOffers, type VerifiedOffers } from '../completion/verify.js';
import { toFileSpan } from '../json-string.js';
import { toStatementItem } from '../statements/statement-items.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

/** Returns the items for a place; an empty list where the source does not apply. */
export type CompletionSource = (
  view: DocumentContext,
  site: CursorContext,
  samples: TestSamples,
) => readonly CompletionItem[];

const SOURCES: readonly CompletionSource[] = [keyItems, valueItems, accessorItems, sqlItems, documentItems];

const NOTHING: CompletionList = { isIncomplete: false, items: [] };

/** Milliseconds to find out which completions check clean; the others wait for the next request. */
const OFFER_TIME = 400;
const OFFER_TIME_IF_LARGE = 25;
/** While other files are analysed, which also needs the time. */
const OFFER_TIME_IF_LATE = 5;

export const completion: Feature = {
  capabilities: () => ({ completionProvider: { triggerCharacters: ['"', ':', '$', '.', ' ', '_'] } }),
  attach: (server) =>
    server.connection.onCompletion(
      createCaretHandler<CompletionParams, CompletionList>(
        server,
        NOTHING,
        async (view, offset) => {
          const { items, isComplete } = await completeAt(view, offset, server.offerTime ?? getOfferTime(view));
          return { isIncomplete: !isComplete, items: items.map(hasSnippetSupport(server) ? asItIs : stripTabStops) };
        },
        ({ isIncomplete, items }, statement) => ({
          isIncomplete,
          items: items.flatMap((item) => toStatementItem(item, statement) ?? []),
        }),
      ),
    ),
};

function getOfferTime({ project, name }: DocumentContext): number {
  if (!project.isLarge()) return OFFER_TIME;
  return project.isLate(name) ? OFFER_TIME_IF_LATE : OFFER_TIME_IF_LARGE;
}

const hasSnippetSupport = ({ client }: ServerContext): boolean =>
  client.textDocument?.completion?.completionItem?.snippetSupport === true;

const asItIs = (item: CompletionItem): CompletionItem => item;

/** For clients without snippet support. */
function stripTabStops(item: CompletionItem): CompletionItem {
  const { textEdit, insertTextFormat } = item;
  if (insertTextFormat !== InsertTextFormat.Snippet || textEdit === undefined) return item;
  return {
    ...item,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { ...textEdit, newText: toPlainText(textEdit.newText) },
  };
}

/** The completions that check clean. `time`: milliseconds to find out which do. */
export async function completeAt(view: DocumentContext, offset: number, time: number): Promise<VerifiedOffers> {
  const site = view.getTypedCursorContext(offset);
  if (isInEscape(view, site, offset)) return { items: [], isComplete: true };
  const samples = site.sort === 'test' ? await listSamples(view, site) : NO_SAMPLES;
  return verifyOffers(
    view,
    site,
    SOURCES.flatMap((source) => source(view, site, samples)),
    time,
  );
}

const NO_SAMPLES: TestSamples = { members: new Map(), values: [] };

async function listSamples(view: DocumentContext, site: CursorContext): Promise<TestSamples> {
  const { listTestMembers, listTestValues } = await import('../request-samples.js');
  return { members: listTestMembers(view, site), values: listTestValues(view, site) };
}

/** True inside an escape sequence, where inserted text would change the character. */
const isInEscape = (view: DocumentContext, { inside }: CursorContext, offset: number): boolean =>
  inside !== null && toFileSpan(view, inside, inside.offset, inside.offset).start !== offset;
