/** Tells what a file holds: resources (they have `resource`) or models (a name with a leading underscore). */
import type { Report } from './report.js';
import type { Document } from '../source/document.js';
import { memberOf, type LocatedNode } from '../source/tree.js';
import type { Definition } from './model.js';
import { typeWord } from './judge.js';
import { noFinds } from './walk.js';

const SUFFIXES = ['.model.json', '.model.jsonc', '.jsonc', '.json'];

export function classify(doc: Document, root: LocatedNode, report: Report): Definition[] {
  const entries = root.type === 'array' ? root.items : [root];
  return entries.flatMap((node) => classifyOne(doc, node, report));
}

function classifyOne(doc: Document, node: LocatedNode, report: Report): Definition[] {
  const start = { doc, start: node.start, end: Math.min(node.start + 1, node.end) };
  const make = (sort: Definition['sort'], at: LocatedNode, name: string, nameSpot = start): Definition => ({
    sort,
    doc,
    node: at,
    name,
    nameSpot,
    finds: noFinds(),
  });
  if (node.type !== 'object') {
    const params = { place: 'A definition', expected: typeWord('object'), actual: typeWord(node.type) };
    report.add('DEF_TYPE', { doc, start: node.start, end: node.end }, params);
    return [];
  }
  if (memberOf(node, 'resource') !== undefined || memberOf(node, 'actionables') !== undefined) {
    return [make('resource', node, '')];
  }
  const fileName = modelNameOf(doc.file);
  if (
    node.members.length > 0 &&
    node.members.every((member) => member.key.startsWith('_') && member.value?.type === 'object')
  ) {
    return node.members.flatMap((member) =>
      member.value === null
        ? []
        : [make('model', member.value, member.key, { doc, start: member.keyStart, end: member.keyEnd })],
    );
  }
  if (fileName.startsWith('_')) return [make('model', node, fileName)];
  report.add('DEF_NO_KIND', start, { name: fileName });
  return [];
}

function modelNameOf(file: string): string {
  const base = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const suffix = SUFFIXES.find((candidate) => base.endsWith(candidate)) ?? '';
  return base.slice(0, base.length - suffix.length);
}
