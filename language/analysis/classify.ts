/** Classifies entries as resources or models (leading underscore; under the sub0 profile also by shape). */
import type { Report } from './report.js';
import type { Document } from '../source/document.js';
import { findMember, type LocatedNode, type Member } from '../source/tree.js';
import type { Definition } from './model.js';
import { formatType } from './validate-node.js';
import { createWalkResult } from './facts.js';
import { RESOURCE_ONLY_FIELDS } from './grammar.js';

const SUFFIXES = ['.model.json', '.model.jsonc', '.jsonc', '.json'];

/** `sign-up.test.json` contains tests; they are never served. */
export const isTestFile = (file: string): boolean => /\.test\.jsonc?$/.test(file);

export const listEntries = (root: LocatedNode): readonly LocatedNode[] => (root.type === 'array' ? root.items : [root]);

/** `byShape`: a model needs no underscore. */
export function classifyDefinitions(doc: Document, node: LocatedNode, report: Report, byShape = false): Definition[] {
  const start = { doc, start: node.start, end: Math.min(node.start + 1, node.end) };
  const createDefinition = (sort: Definition['sort'], at: LocatedNode, name: string, nameSpot = start): Definition => {
    const unique = sort === 'model' ? findTypedMember(at, 'unique', 'array') : null;
    const connection = sort === 'model' ? findTypedMember(at, 'connection', 'string') : null;
    const table = sort === 'model' ? findTypedMember(at, 'table', 'string') : null;
    const acknowledge = sort === 'model' ? findTypedMember(at, 'acknowledge', 'array') : null;
    const settings = [unique, connection, table, acknowledge].filter((one) => one !== null);
    const members = at.members.filter(({ value }) => value === null || !settings.includes(value));
    const fields = settings.length === 0 ? at : { ...at, members };
    const parts = { unique, connection, table, acknowledge };
    return { sort, doc, node: fields, name, nameSpot, ...parts, finds: createWalkResult() };
  };
  if (node.type !== 'object') {
    const params = { place: 'A definition', expected: formatType('object'), actual: formatType(node.type) };
    report.add('DEF_TYPE', { doc, start: node.start, end: node.end }, params);
    return [];
  }
  if (isTestFile(doc.file)) return [createDefinition('test', node, '')];
  const fileName = toModelName(doc.file);
  // A model may have fields named `resource` or `_id`.
  const fields = fileName.startsWith('_') && node.members.some(isField) && !hasResourceKeys(node);
  const isResource = findMember(node, 'resource') !== undefined || findMember(node, 'actionables') !== undefined;
  if ((isResource || isLikelyResource(node, fileName)) && !fields) return [createDefinition('resource', node, '')];
  const wrapped = findNestedFields(node);
  if (wrapped !== null) {
    const { key, keyStart, keyEnd } = wrapped.fields;
    const right = `{"${wrapped.name ?? (fileName.startsWith('_') ? fileName : `_${fileName}`)}": {"id": {"type": "..."}}}`;
    report.add('DEF_MODEL_FORM', { doc, start: keyStart, end: keyEnd }, { what: `"${key}" around them`, right });
    return [];
  }
  const isNamed = byShape ? (member: Member) => isNamedModel(member) || holdsFields(member) : isNamedModel;
  if (!fields && node.members.length > 0 && node.members.every(isNamed)) {
    return node.members.flatMap((member) =>
      member.value === null
        ? []
        : [createDefinition('model', member.value, member.key, { doc, start: member.keyStart, end: member.keyEnd })],
    );
  }
  const isShaped =
    byShape &&
    node.members.some(isField) &&
    node.members.every(({ value }) => value?.type === 'object' || value?.type === 'string');
  if (fileName.startsWith('_') || isShaped) return [createDefinition('model', node, fileName)];
  report.add('DEF_NO_KIND', start, { name: fileName });
  return [];
}

/** True for made-up keys of two resource fields, or of `actionables`, with the right types. */
function isLikelyResource({ members }: LocatedNode, fileName: string): boolean {
  if (fileName.startsWith('_')) return false;
  const intended = members.flatMap(({ key, value }) => {
    const field = RESOURCE_ONLY_FIELDS.get(key);
    const sort = field === 'actionables' ? 'array' : 'string';
    return field !== undefined && value?.type === sort ? [field] : [];
  });
  return new Set(intended).size > 1 || intended.includes('actionables');
}

/** No field of a model has such values. */
const hasResourceKeys = (node: LocatedNode): boolean =>
  findMember(node, 'resource')?.value?.type === 'string' &&
  (findMember(node, 'actionables')?.value?.type === 'array' || findMember(node, 'id')?.value?.type === 'string');

const WRAPPERS = ['fields', 'columns', 'properties', 'schema'];
const NAMES = ['name', 'table', 'model', 'collection'];

/** Fields one level too deep: `{ "name": "user", "fields": {...} }`. */
function findNestedFields(node: LocatedNode): { readonly fields: Member; readonly name: string | null } | null {
  const name = NAMES.map((key) => findMember(node, key)?.value).find((value) => value?.type === 'string') ?? null;
  const fields = WRAPPERS.map((key) => findMember(node, key)).find(
    (member) => (member?.value?.type === 'object' || member?.value?.type === 'array') && !isField(member),
  );
  // Without a name; every field has a `type`.
  const hasOnlyFields = fields?.value?.members.some(isField) === true;
  if (fields === undefined || (name === null && !hasOnlyFields)) return null;
  const text = name === null ? null : String(name.scalar);
  return { fields, name: text === null ? null : text.startsWith('_') ? text : `_${text}` };
}

const isNamedModel = ({ key, value }: Member): boolean => key.startsWith('_') && value?.type === 'object';

/** An object that contains only fields and is none itself. */
const holdsFields = (member: Member): boolean =>
  !isField(member) && member.value !== null && member.value.members.length > 0 && member.value.members.every(isField);

/** A value of another type is a field of that name. */
function findTypedMember(node: LocatedNode, name: string, type: LocatedNode['type']): LocatedNode | null {
  const value = findMember(node, name)?.value ?? null;
  return value?.type === type ? value : null;
}

const isField = ({ value }: Member): boolean => value !== null && findMember(value, 'type')?.value?.type === 'string';

export function toModelName(file: string): string {
  const base = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const suffix = SUFFIXES.find((candidate) => base.endsWith(candidate)) ?? '';
  return base.slice(0, base.length - suffix.length);
}
