/** Signature help inside SQL: the parameters and the result of the function that is called at the caret. */
import type { SignatureHelp, SignatureHelpParams } from 'vscode-languageserver';
import { analyseCaret } from '../../plugins/queries/sql/editing/caret.js';
import { findCallAt, isKnownIn, type SqlCallAt } from '../../plugins/queries/sql/editing/signatures.js';
import type { Feature } from '../server-context.js';
import { createCaretHandler } from '../statements/caret-handler.js';
import { findSyntax } from '../queries/reserved.js';
import { statementAt } from '../queries/query-context.js';
import type { DocumentContext } from '../document-context.js';

export const signatureHelp: Feature = {
  capabilities: () => ({ signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: [')'] } }),
  attach: (server) =>
    server.connection.onSignatureHelp(
      createCaretHandler<SignatureHelpParams, SignatureHelp | null>(server, null, findSignatureHelp, (help) => help),
    ),
};

export function findSignatureHelp(view: DocumentContext, offset: number): SignatureHelp | null {
  const site = view.getTypedCursorContext(offset);
  const query = statementAt(view, site);
  if (query === null || site.inside === null) return null;
  const call = findCallAt(site.inside.text, site.inside.offset);
  if (call === null) return null;
  const read = analyseCaret(site.inside.text, site.inside.offset)?.sources;
  if (!isKnownIn(call.signature, findSyntax(view, query, read))) return null;
  return toSignatureHelp(call);
}

function toSignatureHelp({ signature, argument }: SqlCallAt): SignatureHelp {
  const { form, result, doc, parameters } = signature;
  const last = parameters.length - 1;
  const activeParameter = argument > last && parameters[last]?.isRepeated === true ? last : argument;
  return {
    signatures: [
      {
        label: `${form}: ${result}`,
        documentation: { kind: 'markdown', value: doc },
        parameters: parameters.map(({ type, span: [from, to], isOptional, isRepeated }) => ({
          label: [from, to],
          documentation: [
            type === '' ? 'any type' : type,
            ...(isOptional ? ['may be left out'] : []),
            ...(isRepeated ? ['may be repeated'] : []),
          ].join(', '),
        })),
      },
    ],
    activeSignature: 0,
    activeParameter,
  };
}
