/**
 * Changes of the definitions that a test should notice: a field is left out, a bound is one looser, a condition holds
 * for every row, two parameters change places.
 */
import type { Json } from '../../contract/json.js';
import type { FieldMeta } from '../../contract/field-meta.js';
import type { Range } from '../../contract/problem.js';
import { listEntries } from '../../language/analysis/classify.js';
import { ROOT_FIELDS } from '../../language/analysis/grammar.js';
import { levelAt, listChildLevels, type Level } from '../../language/analysis/levels.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { Registry } from '../../language/analysis/registry.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember, toJson, type LocatedNode } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { tokenizeSql } from '../../plugins/queries/sql/text/tokens.js';

export interface Mutant {
  readonly resource: string;
  /** `without "max_length"` */
  readonly change: string;
  readonly doc: Document;
  readonly range: Range;
  /** The whole file with the change. */
  readonly text: string;
  readonly arranges: boolean;
}

type Path = readonly (string | number)[];
type Edit = (holder: Record<string | number, Json>, key: string | number) => void;
type Add = (change: string, node: LocatedNode, path: Path, edit: Edit) => void;

/** What it says is for readers and the checker. */
const SILENT = 'acknowledge';
/** They only say when actionables run, and which result is sent. */
const ARRANGING = ['main_returnable', 'no_op', 'parallel'];

export function createMutants({ documents, resources }: Analysis, registry: Registry): Mutant[] {
  const ids = new Set(resources.map(({ id }) => id));
  return [...documents.values()].flatMap((doc) => {
    const { root } = parseSource(doc);
    if (root === null) return [];
    return listEntries(root).flatMap((entry, at) => {
      const resource = String(findMember(entry, 'id')?.value?.scalar ?? '');
      if (!ids.has(resource)) return [];
      const found: Mutant[] = [];
      const before: Path = root.type === 'array' ? [at] : [];
      const add: Add = (change, node, path, edit) => {
        const json = structuredClone(toJson(root));
        applyEdit(json, [...before, ...path], edit);
        const owner = path.slice(0, -1).map((part) => (typeof part === 'number' ? '' : part));
        const arranges = ARRANGING.includes(String(path.at(-1))) && ['', 'actionables/'].includes(owner.join('/'));
        const range = rangeAt(doc, node.start, node.end);
        found.push({ resource, change, doc, range, text: JSON.stringify(json), arranges });
      };
      collectChanges(registry, levelAt(registry, entry, ROOT_FIELDS.resource), [], add);
      return found;
    });
  });
}

function applyEdit(json: Json, path: Path, edit: Edit): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string | number, Json>)[key] as Json, json);
  edit(holder as Record<string | number, Json>, path.at(-1) ?? '');
}

const removeKey: Edit = (holder, key) => void delete holder[key];

function collectChanges(registry: Registry, level: Level, path: Path, add: Add): void {
  const { node, field } = level;
  if (node === null) return;
  for (const child of listChildLevels(registry, level)) {
    const { key } = child;
    if (key === null || key === SILENT || child.node === null || child.field === null) continue;
    // Tables keep their unique indexes.
    if (node.members.some((member) => getFieldMeta(level, member.key)?.beside?.unique === key)) continue;
    const here = [...path, key];
    const isMember = typeof key === 'string';
    // What is inside of any JSON has its field, and only the whole is required.
    const isRequired = child.field.required && child.field !== field;
    const isDefault = child.field.meta.default !== undefined && child.field.meta.default === child.node.scalar;
    const looser = isMember ? loosenBound(key, child.node) : null;
    if (looser !== null) {
      const change = `with "${key}" ${looser} in place of ${String(child.node.scalar)}`;
      add(change, child.node, here, (holder, at) => void (holder[at] = looser));
    } else if (isMember && !isRequired && !isDefault) add(`without "${key}"`, child.node, here, removeKey);
    if (child.field.meta.language === 'sql') addConditions(child.node, here, add);
    const statement = node.members.find((member) => getFieldMeta(level, member.key)?.binds === key);
    if (statement !== undefined) addSwaps(child.node, String(statement.value?.scalar), here, add);
    collectChanges(registry, child, here, add);
  }
}

/** A case that notices the nearest looser bound notices its absence too. Null: the field is no bound. */
function loosenBound(key: string, { type, scalar }: LocatedNode): number | null {
  if (type !== 'number' || typeof scalar !== 'number') return null;
  if (/(?:^|_)min(?:_|$)/.test(key)) return scalar - 1;
  return /(?:^|_)(?:max|length|limit)(?:_|$)/.test(key) ? scalar + 1 : null;
}

const getFieldMeta = ({ expansion }: Level, key: string): FieldMeta | undefined =>
  expansion?.fields.get(key)?.field.meta;

function addSwaps({ items }: LocatedNode, statement: string, path: Path, add: Add): void {
  for (const [at, item] of items.entries()) {
    const next = items[at + 1];
    if (next === undefined || JSON.stringify(toJson(item)) === JSON.stringify(toJson(next))) continue;
    if (isSum(statement, at + 1)) continue;
    add(`with $${at + 1} and $${at + 2} swapped`, item, [...path, at], (holder, key) => {
      const first = Number(key);
      [holder[first], holder[first + 1]] = [holder[first + 1] ?? null, holder[first] ?? null];
    });
  }
}

/** The only use of $n and the next one is that they are added: `SET a = $1::bigint + $2::bigint WHERE`. */
function isSum(statement: string, n: number): boolean {
  const { tokens } = tokenizeSql(statement);
  const words = tokens.map(({ start, end }) => statement.slice(start, end).toUpperCase());
  const [first, second] = [words.indexOf(`$${n}`), words.indexOf(`$${n + 1}`)];
  const isOnce = words.lastIndexOf(`$${n}`) === first && words.lastIndexOf(`$${n + 1}`) === second;
  const cast = words.slice(first + 1, second - 1);
  const end = second + 1 + cast.length;
  const isSame = words.slice(second + 1, end).join() === cast.join() && cast.every((word) => word.startsWith('::'));
  const isAlone = '=(,'.includes(words[first - 1] ?? ' ') && ['WHERE', ',', ')'].includes(words[end] ?? '');
  return isOnce && first !== -1 && words[second - 1] === '+' && isSame && isAlone;
}

const ENDS = new Set([
  'AND',
  'OR',
  'ORDER',
  'GROUP',
  'HAVING',
  'LIMIT',
  'OFFSET',
  'RETURNING',
  'FOR',
  'UNION',
  'ON',
  'WINDOW',
]);

/** Each condition behind WHERE and AND, at the depth of its clause. */
function addConditions(node: LocatedNode, path: Path, add: Add): void {
  const text = String(node.scalar);
  const { tokens } = tokenizeSql(text);
  let depth = 0;
  let clause = -1;
  let start = -1;
  const close = (end: number): void => {
    const condition = text.slice(start, end).trim();
    if (start !== -1 && condition !== '' && !/^\w*\s*BETWEEN\b/i.test(condition)) {
      const changed = `${text.slice(0, start)} (${condition} OR TRUE) ${text.slice(end)}`;
      add(`without the condition "${condition}"`, node, path, (holder, key) => void (holder[key] = changed));
    }
    start = -1;
  };
  for (const token of tokens) {
    const word = text.slice(token.start, token.end).toUpperCase();
    if (token.type === 'open') depth++;
    if (token.type === 'close') {
      depth--;
      if (depth < clause) [clause] = [-1, close(token.start)];
    }
    if (depth === clause && ENDS.has(word)) {
      close(token.start);
      if (word === 'AND' || word === 'OR') start = token.end;
      else clause = -1;
    }
    if (word === 'WHERE') [clause, start] = [depth, token.end];
  }
  close(text.length);
}
