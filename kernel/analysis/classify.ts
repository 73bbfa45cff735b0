/**
 * Tells what the entries of a file are: resources (they have `resource`) or models (a name with a leading underscore, or, under
 * the profile of the earlier system, the shape of one).
 */
import type { Report } from './report.js';
import type { Document } from '../source/document.js';
import { memberOf, type LocatedNode, type Member } from '../source/tree.js';
import type { Definition } from './model.js';
import { typeWord } from './judge.js';
import { noFinds } from './finds.js';
import { MEANT_FOR_RESOURCE } from './grammar.js';

const SUFFIXES = ['.model.json', '.model.jsonc', '.jsonc', '.json'];

/** What stands in a file: definitions, or a list of them. */
export const entriesOf = (root: LocatedNode): readonly LocatedNode[] => (root.type === 'array' ? root.items : [root]);

/** One entry is a resource, a model, or several models by their names. `byShape`: a model may do without the underscore. */
export function classify(doc: Document, node: LocatedNode, report: Report, byShape = false): Definition[] {
  const start = { doc, start: node.start, end: Math.min(node.start + 1, node.end) };
  const make = (sort: Definition['sort'], at: LocatedNode, name: string, nameSpot = start): Definition => {
    const unique = sort === 'model' ? beside(at, 'unique', 'array') : null;
    const connection = sort === 'model' ? beside(at, 'connection', 'string') : null;
    const acknowledge = sort === 'model' ? beside(at, 'acknowledge', 'array') : null;
    const besides = [unique, connection, acknowledge].filter((one) => one !== null);
    const members = at.members.filter(({ value }) => value === null || !besides.includes(value));
    const fields = besides.length === 0 ? at : { ...at, members };
    return { sort, doc, node: fields, name, nameSpot, unique, connection, acknowledge, finds: noFinds() };
  };
  if (node.type !== 'object') {
    const params = { place: 'A definition', expected: typeWord('object'), actual: typeWord(node.type) };
    report.add('DEF_TYPE', { doc, start: node.start, end: node.end }, params);
    return [];
  }
  const fileName = modelNameOf(doc.file);
  // A model may have fields called `resource` or `_id`: in a model's own file, what is written like a field is one.
  const fields = fileName.startsWith('_') && node.members.some(isField) && !saysResource(node);
  const isResource = memberOf(node, 'resource') !== undefined || memberOf(node, 'actionables') !== undefined;
  if ((isResource || isMeantAsResource(node, fileName)) && !fields) return [make('resource', node, '')];
  const wrapped = fieldsUnder(node);
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
        : [make('model', member.value, member.key, { doc, start: member.keyStart, end: member.keyEnd })],
    );
  }
  const isShaped =
    byShape &&
    node.members.some(isField) &&
    node.members.every(({ value }) => value?.type === 'object' || value?.type === 'string');
  if (fileName.startsWith('_') || isShaped) return [make('model', node, fileName)];
  report.add('DEF_NO_KIND', start, { name: fileName });
  return [];
}

/** Two keys that people invent for fields of a resource, with values of the right sort. */
function isMeantAsResource({ members }: LocatedNode, fileName: string): boolean {
  if (fileName.startsWith('_')) return false;
  const meant = members.flatMap(({ key, value }) => {
    const field = MEANT_FOR_RESOURCE.get(key);
    const sort = field === 'actionables' ? 'array' : 'string';
    return field !== undefined && value?.type === sort ? [field] : [];
  });
  return new Set(meant).size > 1 || meant.includes('actionables');
}

/** The names of a resource with values that no field of a model has: then a part with a `type` makes it no model. */
const saysResource = (node: LocatedNode): boolean =>
  memberOf(node, 'resource')?.value?.type === 'string' &&
  (memberOf(node, 'actionables')?.value?.type === 'array' || memberOf(node, 'id')?.value?.type === 'string');

const WRAPPERS = ['fields', 'columns', 'properties', 'schema'];
const NAMES = ['name', 'table', 'model', 'collection'];

/** The fields of a model one level too deep: `{ "name": "user", "fields": {...} }`. */
function fieldsUnder(node: LocatedNode): { readonly fields: Member; readonly name: string | null } | null {
  const name = NAMES.map((key) => memberOf(node, key)?.value).find((value) => value?.type === 'string') ?? null;
  const fields = WRAPPERS.map((key) => memberOf(node, key)).find(
    (member) => (member?.value?.type === 'object' || member?.value?.type === 'array') && !isField(member),
  );
  // Without a name beside it, an object that holds fields is enough; a model has no field without a type.
  const holdsFields = fields?.value?.members.some(isField) === true;
  if (fields === undefined || (name === null && !holdsFields)) return null;
  const text = name === null ? null : String(name.scalar);
  return { fields, name: text === null ? null : text.startsWith('_') ? text : `_${text}` };
}

const isNamedModel = ({ key, value }: Member): boolean => key.startsWith('_') && value?.type === 'object';

/** An object with fields and nothing else, that is none itself. */
const holdsFields = (member: Member): boolean =>
  !isField(member) && member.value !== null && member.value.members.length > 0 && member.value.members.every(isField);

/** What a model says beside its fields; an object is a field of that name. */
function beside(node: LocatedNode, name: string, type: LocatedNode['type']): LocatedNode | null {
  const value = memberOf(node, name)?.value ?? null;
  return value?.type === type ? value : null;
}

/** An object that says of which type it is. */
const isField = ({ value }: Member): boolean => value !== null && memberOf(value, 'type')?.value?.type === 'string';

function modelNameOf(file: string): string {
  const base = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const suffix = SUFFIXES.find((candidate) => base.endsWith(candidate)) ?? '';
  return base.slice(0, base.length - suffix.length);
}
