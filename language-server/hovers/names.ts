/** Hover for names in definitions: declaration, references, meaning. Based on the analysis. */
import type { Declaration, Reference } from '../../language/analysis/facts.js';
import type { Definition, ResourceModel } from '../../language/analysis/model.js';
import { listMembers, listTestTables, type TestTable } from '../../language/analysis/test-tables.js';
import { type SourceLocation, isInside } from '../../language/analysis/report.js';
import { joinBlocks } from '../../language/export/markdown.js';
import { rangeAt } from '../../language/source/document.js';
import { toCodeSpan } from '../safe-markdown.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { declarationMarkdown, declaredMarkdown } from '../describe-names.js';
import { modelFieldMarkdown, modelMarkdown } from '../describe-models.js';
import { actionMarkdown, resourceMarkdown } from '../describe-actions.js';
import { toAnalysedContext, createTokenHover, type HoverSource } from './hover-source.js';
import { findModelByAlias } from '../model-names.js';

export const hoverName: HoverSource = (view, site) => {
  const { definition: typed, cursor } = site;
  if (typed === null || cursor.token === null || cursor.at === 'none') return null;
  // The text alone shows whether a name is here; its meaning needs the analysis.
  if (findNameAt(view, site, typed) === null) return null;
  const { definition } = toAnalysedContext(view, site);
  const found = definition && findNameAt(view, site, definition);
  if (definition === null || found === null) return null;
  if (found === 'table') return createTokenHover(site, describeTestName(view, site, definition));
  if (found === 'model') return createTokenHover(site, describeModel(view, definition.name));
  const { declaration, reference } = found;
  if (declaration !== undefined) return createTokenHover(site, describeDeclaration(view, definition, declaration));
  return reference === undefined ? null : createTokenHover(site, describeReference(view, definition, reference));
};

interface NameMatch {
  readonly declaration?: Declaration;
  readonly reference?: Reference;
}

function findNameAt(
  view: DocumentContext,
  site: CursorContext,
  definition: Definition,
): 'model' | 'table' | NameMatch | null {
  const isHere = (spot: SourceLocation): boolean => isAtCursor(view, site, definition, spot);
  if (findTestTable(view, site, definition) !== undefined) return 'table';
  if (definition.sort === 'model' && isHere(definition.nameSpot)) return 'model';
  const declaration = definition.finds.declarations.find(({ spot }) => isHere(spot));
  if (declaration !== undefined) return { declaration };
  const reference = definition.finds.references.find(({ spot }) => isHere(spot));
  return reference === undefined ? null : { reference };
}

/** The table of a test at the cursor, or that of the column. */
const findTestTable = (view: DocumentContext, site: CursorContext, definition: Definition): TestTable | undefined =>
  definition.sort !== 'test'
    ? undefined
    : listTestTables(definition).find((one) =>
        [one.table, ...listMembers(one)].some(({ keyStart: start, keyEnd: end }) =>
          isAtCursor(view, site, definition, { doc: definition.doc, start, end }),
        ),
      );

function describeTestName(view: DocumentContext, site: CursorContext, definition: Definition): string {
  const { key = '' } = findTestTable(view, site, definition)?.table ?? {};
  const model = findModelByAlias(view.analysis.models, key);
  const written = site.cursor.token?.text ?? '';
  if (model === undefined) return '';
  return written === key ? modelMarkdown(view, model) : modelFieldMarkdown(view, model, written);
}

/** Compares positions, because offsets of a definition are relative to its own document. */
function isAtCursor(
  view: DocumentContext,
  { cursor: { token } }: CursorContext,
  { doc }: Definition,
  { start, end }: SourceLocation,
): boolean {
  if (token === null) return false;
  const [here, there] = [view.range(token.start, token.end), rangeAt(doc, start, end)];
  return here.start.line === there.start.line && here.start.character === there.start.character;
}

const findResource = (view: DocumentContext, definition: Definition): ResourceModel | undefined =>
  view.analysis.resources.find((one) => one.definition === definition);

function describeModel(view: DocumentContext, name: string): string {
  const model = view.analysis.models.find((one) => one.name === name);
  return model === undefined ? '' : modelMarkdown(view, model);
}

function describeDeclaration(view: DocumentContext, definition: Definition, declaration: Declaration): string {
  if (declaration.symbol === 'model-field') {
    const model = view.analysis.models.find((one) => one.definition === definition);
    return model === undefined ? '' : modelFieldMarkdown(view, model, declaration.name);
  }
  const resource = findResource(view, definition);
  if (resource === undefined) return '';
  if (declaration.symbol === 'resource') return resourceMarkdown(view, resource);
  if (declaration.symbol === 'action') {
    const action = resource.actions.find(({ node }) => isInside(declaration.spot, node));
    return action === undefined ? '' : actionMarkdown(view, action);
  }
  return declarationMarkdown(view, resource, declaration);
}

function describeReference(view: DocumentContext, definition: Definition, reference: Reference): string {
  const { refers, within, node } = reference;
  const { resources, models } = view.analysis;
  const name = String(reference.name);
  const own = findResource(view, definition);
  const findNamedResource = (id: string): ResourceModel | undefined =>
    id === 'self' ? own : resources.find((resource) => resource.id === id);
  switch (refers.symbol) {
    case 'resource': {
      const target = findNamedResource(name);
      return target === undefined ? '' : resourceMarkdown(view, target);
    }
    case 'action': {
      const target = findNamedResource(within?.name ?? 'self')?.actions.find(({ id }) => id === reference.name);
      return target === undefined ? '' : actionMarkdown(view, target);
    }
    case 'model':
      return describeModel(view, name);
    case 'model-field': {
      const model = models.find((one) => one.name === within?.name);
      return model === undefined ? '' : modelFieldMarkdown(view, model, name);
    }
    case 'name': {
      const action = own?.actions.find((one) => isInside(node, one.node));
      const decision = action?.parameters.get(node.pointer);
      if (own === undefined || decision === undefined) return own === undefined ? '' : describeName(view, own, name);
      if (decision.source === 'literal') return refers.soft === true ? literalMarkdown(name) : '';
      const symbols = { extracted: 'name', generated: 'generated', payload: 'payload-field', claim: 'claim' } as const;
      const { from } = decision;
      if (from === 'output') return `**${toCodeSpan(name)}** of the one file or item that an earlier actionable gives`;
      const markdown = from === null ? '' : declaredMarkdown(view, own, symbols[from], name);
      return markdown !== '' ? markdown : `**${toCodeSpan(name)}** of the payload: no rule declares it`;
    }
    case 'payload-field':
    case 'generated':
    case 'claim':
      return own === undefined ? '' : describeName(view, own, name);
    default:
      return '';
  }
}

/** Looks the name up in the order of value resolution: results first. */
function describeName(view: DocumentContext, resource: ResourceModel, name: string): string {
  for (const symbol of ['name', 'generated', 'payload-field', 'claim'] as const) {
    const markdown = declaredMarkdown(view, resource, symbol, name);
    if (markdown !== '') return markdown;
  }
  return '';
}

const literalMarkdown = (text: string): string =>
  joinBlocks(`${toCodeSpan(JSON.stringify(text))}: this very text`, 'It names nothing in this resource.');
