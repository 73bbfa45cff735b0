/** Builds the outline of a file: resources with actionables, models with fields, tests with cases, sections of the config. */
import type { DocumentSymbol, Range } from 'vscode-languageserver';
import { SymbolKind } from '../protocol.js';
import { asText } from '../../contract/json.js';
import { isInside } from '../../language/analysis/report.js';
import type { Definition } from '../../language/analysis/model.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember, type LocatedNode, type Member } from '../../language/source/tree.js';
import type { DocumentContext } from '../document-context.js';

export function createDocumentOutline(view: DocumentContext): DocumentSymbol[] {
  if (!view.project.isConfig(view.name)) return view.definitions.map(definitionSymbol);
  return (view.tree.root?.members ?? []).map((member) => memberSymbol(view.doc, member, SymbolKind.Module));
}

const getScalarText = (node: LocatedNode, key: string): string => String(findMember(node, key)?.value?.scalar ?? '');

/** LSP forbids symbols with an empty name. */
const nameOr = (name: string, otherwise: string): string => (name.trim() === '' ? otherwise : name);

function definitionSymbol(definition: Definition): DocumentSymbol {
  if (definition.sort === 'test') return testSymbol(definition);
  return definition.sort === 'resource' ? resourceSymbol(definition) : modelSymbol(definition);
}

function testSymbol({ doc, node }: Definition): DocumentSymbol {
  const cases = (findMember(node, 'cases')?.value?.items ?? []).map((one) => ({
    name: nameOr(getScalarText(one, 'id'), '(case)'),
    kind: SymbolKind.Method,
    ...createRanges(doc, one, findMember(one, 'id')?.value ?? null),
  }));
  const id = findMember(node, 'id')?.value ?? null;
  const name = nameOr(getScalarText(node, 'id'), '(tests)');
  return { name, kind: SymbolKind.Module, ...createRanges(doc, node, id), children: cases };
}

function resourceSymbol(definition: Definition): DocumentSymbol {
  const { doc, node } = definition;
  const id = findMember(node, 'id')?.value ?? null;
  return {
    name: nameOr(getScalarText(node, 'id'), '(resource)'),
    detail: getScalarText(node, 'resource'),
    kind: SymbolKind.Interface,
    ...createRanges(doc, node, id),
    children: (findMember(node, 'actionables')?.value?.items ?? []).map((item) => actionSymbol(definition, item)),
  };
}

function actionSymbol({ doc, finds }: Definition, node: LocatedNode): DocumentSymbol {
  const statement = finds.statements.find((one) => isInside(one.node, node));
  const query = finds.documents.find((one) => isInside(one.node, node));
  const text = finds.texts.find((one) => isInside(one, node));
  const detail = statement?.scan.text ?? query?.collection ?? asText(text?.scalar);
  return {
    name: nameOr(`${getScalarText(node, 'id')} ${getScalarText(node, 'mode')}`, '(actionable)').trim(),
    detail: firstWords(detail),
    kind: SymbolKind.Method,
    ...createRanges(doc, node, findMember(node, 'id')?.value ?? null),
  };
}

const WIDTH = 48;

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= WIDTH ? line : `${line.slice(0, line.lastIndexOf(' ', WIDTH) || WIDTH)} …`;
}

function modelSymbol({ doc, name, nameSpot, node }: Definition): DocumentSymbol {
  const fields = node.members.map((member) => ({
    ...memberSymbol(doc, member, SymbolKind.Field),
    detail: member.value === null ? '' : getScalarText(member.value, TYPE),
  }));
  const selectionRange = rangeAt(nameSpot.doc, nameSpot.start, nameSpot.end);
  const range = joinRanges(selectionRange, rangeAt(doc, node.start, node.end));
  return { name: nameOr(name, '(model)'), kind: SymbolKind.Struct, range, selectionRange, children: fields };
}

/** The member with a field's type. */
const TYPE = 'type';

function memberSymbol(doc: Document, { key, keyStart, keyEnd, value }: Member, kind: SymbolKind): DocumentSymbol {
  const selectionRange = rangeAt(doc, keyStart, keyEnd);
  return { name: nameOr(key, '""'), kind, range: rangeAt(doc, keyStart, value?.end ?? keyEnd), selectionRange };
}

const createRanges = (
  doc: Document,
  node: LocatedNode,
  name: LocatedNode | null,
): Pick<DocumentSymbol, 'range' | 'selectionRange'> => ({
  range: rangeAt(doc, node.start, node.end),
  selectionRange: rangeAt(doc, (name ?? node).start, name?.end ?? node.start),
});

const joinRanges = ({ start }: Range, { end }: Range): Range => ({ start, end });
