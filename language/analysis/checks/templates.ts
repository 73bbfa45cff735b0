/** Reports `${name}` and `{{name}}`, which are plain text. Only a value that consists of one is an error. */
import type { Document } from '../../source/document.js';
import { toDocumentOffset, locateInString } from '../../source/escapes.js';
import type { LocatedNode } from '../../source/tree.js';
import type { WalkResult } from '../facts.js';
import type { Registry } from '../registry.js';
import { type Report, isInside } from '../report.js';
import { findMiscasedAccessors, listKnownAccessors, suggestAccessor } from './accessor-suggestions.js';
import { listPayloadReaders } from './readers.js';

export interface Template {
  readonly path: readonly string[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const FORM = /\$\{\s*\$?([A-Za-z_][\w.-]*)\s*\}|\{\{\s*\$?([A-Za-z_][\w.-]*)\s*\}\}/g;

export const findTemplates = (text: string): Template[] =>
  [...text.matchAll(FORM)].map((match) => ({
    path: (match[1] ?? match[2] ?? '').split('.').filter((segment) => segment !== ''),
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));

/** A known root or alias, an environment variable if it looks like one (`API_KEY`), else a payload field. */
export function suggestAccessorFor(registry: Registry, path: readonly string[]): string | null {
  const [first = '', ...rest] = path;
  const root = first.toUpperCase();
  const exact = listKnownAccessors(registry).find(({ name }) => name === root);
  if (exact !== undefined && (rest.length > 0 || exact.tail === 'none')) return [`$${root}`, ...rest].join('.');
  const right = suggestAccessor(registry, { root, tail: rest });
  if (right !== undefined && rest.length > 0) return right.text;
  const variable = rest.length === 0 && /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(first);
  const ofVariables = listKnownAccessors(registry).find(({ tail }) => tail === 'env');
  if (variable && ofVariables !== undefined) return `$${ofVariables.name}.${first}`;
  const reader = listPayloadReaders(registry)[0];
  return reader === undefined ? null : [`$${reader}`, ...path].join('.');
}

/** `lenient`: wrong case inside a longer text is only a warning. */
export function checkTemplates(
  registry: Registry,
  report: Report,
  { doc, finds }: { readonly doc: Document; readonly finds: WalkResult },
  lenient: boolean,
): void {
  const { texts, documents, references } = finds;
  for (const node of texts) {
    const text = String(node.scalar);
    for (const template of findTemplates(text)) checkTemplate(registry, report, doc, node, text, template);
    for (const { start, end, right, named } of findMiscasedAccessors(registry, text)) {
      const whole = start === 0 && end === text.length;
      if (whole && isInDocument(documents, node)) continue;
      if (whole && references.some((one) => one.node === node && one.refers.soft === true)) continue;
      const spot = locateInString(doc, node, { start, end });
      const fix = { fix: { title: `change to ${right}`, text: right } };
      const code = whole || (named && !lenient) ? 'TPL_VALUE' : 'TPL_TEXT';
      report.add(code, spot, { template: text.slice(start, end), right }, fix);
    }
    const bare = suggestDollar(registry, text);
    if (bare === null) {
      checkBareRoots(registry, report, doc, node);
      continue;
    }
    const fix = { fix: { title: `change to ${bare}`, text: JSON.stringify(bare) } };
    report.add('TPL_VALUE', { doc, start: node.start, end: node.end }, { template: text, right: bare }, fix);
  }
}

const BARE_ROOT = /(?<![\w$.-])([A-Z]+)\.([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)/g;

/** `id of PAYLOAD.id` is constant text, for example one cache key for all callers. */
function checkBareRoots(registry: Registry, report: Report, doc: Document, node: LocatedNode): void {
  const text = String(node.scalar);
  for (const match of text.matchAll(BARE_ROOT)) {
    const right = suggestDollar(registry, match[0]);
    if (right === null) continue;
    const spot = locateInString(doc, node, { start: match.index, end: match.index + match[0].length });
    report.add('TPL_TEXT', spot, { template: match[0], right }, { fix: { title: `change to ${right}`, text: right } });
  }
}

/** In document queries, `"$name"` is a field. */
const isInDocument = (documents: WalkResult['documents'], node: LocatedNode): boolean =>
  documents.some(({ around }) => isInside(node, around));

/** `ENV.API_KEY` without its dollar sign. */
function suggestDollar(registry: Registry, text: string): string | null {
  const [, root, tail] = /^([A-Z]+)\.([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)$/.exec(text) ?? [];
  if (root === undefined || tail === undefined) return null;
  const known = listKnownAccessors(registry).some(({ name, tail: wants }) => name === root && wants !== 'none');
  return known ? `$${text}` : null;
}

function checkTemplate(
  registry: Registry,
  report: Report,
  doc: Document,
  node: LocatedNode,
  text: string,
  template: Template,
): void {
  const right = suggestAccessorFor(registry, template.path);
  if (right === null) return;
  const whole = template.text === text.trim();
  const start = whole ? node.start : toDocumentOffset(doc, node, template.start);
  const end = whole ? node.end : toDocumentOffset(doc, node, template.end);
  const written = whole ? JSON.stringify(right) : right;
  const fix = { fix: { title: `change to ${right}`, text: written } };
  report.add(whole ? 'TPL_VALUE' : 'TPL_TEXT', { doc, start, end }, { template: template.text, right }, fix);
}
