/**
 * Edits of sets of definition files, generated from a seed: letters inserted and removed, lines moved, words replaced,
 * definitions swapped, files added, renamed, emptied and removed. Independent of the meaning of definitions.
 */
import type { SourceFile } from '../../language/analysis/analyse.js';

export interface Random {
  /** Below `limit`; 0 for nothing to choose from. */
  below(limit: number): number;
  chance(share: number): boolean;
  /** The first one as often as `first`. */
  pick<T>(all: readonly [T, ...T[]] | readonly T[], first?: number): T;
}

/** The same numbers for the same seed. */
export function createSeededRandom(seed: string): Random {
  let state = 2166136261;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16777619);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const nextBelow = (limit: number): number => Math.floor(next() * limit);
  return {
    below: nextBelow,
    chance: (share) => next() < share,
    pick: (all, first = 0) => {
      const found = next() < first ? all[0] : all[nextBelow(all.length)];
      if (found === undefined) throw new Error('nothing to choose from');
      return found;
    },
  };
}

type Edit = (text: string, random: Random, words: readonly string[]) => string;

const spliceText = (text: string, at: number, gone: number, put: string): string =>
  text.slice(0, at) + put + text.slice(at + gone);

const STRING = /"(?:[^"\\\n]|\\.)*"/g;
const stringsIn = (text: string): RegExpMatchArray[] => [...text.matchAll(STRING)];

const LETTERS = ['a', 'e', '_', '"', '{', '}', '[', ']', ',', ':', '1', ' ', '\n', '$', '/', '*', '\\', 's', '🙂', '.'];

/** One string of the text in place of another. */
const replaceWord: Edit = (text, random, words) => {
  const found = stringsIn(text);
  const one = found[random.below(found.length)];
  return one === undefined || words.length === 0
    ? text
    : spliceText(text, one.index ?? 0, one[0].length, random.pick(words));
};

/** A letter more in a string, or one less: the most frequent edit. */
const editWord: Edit = (text, random) => {
  const found = stringsIn(text);
  const one = found[random.below(found.length)];
  if (one === undefined) return text;
  const at = (one.index ?? 0) + 1 + random.below(one[0].length - 2);
  return random.chance(0.5) && one[0].length > 3
    ? spliceText(text, at, 1, '')
    : spliceText(text, at, 0, random.pick(['a', 's', '_']));
};

const insertLetter: Edit = (text, random) => spliceText(text, random.below(text.length + 1), 0, random.pick(LETTERS));
const deleteLetters: Edit = (text, random) => spliceText(text, random.below(text.length), 1 + random.below(3), '');
const truncateText: Edit = (text, random) => text.slice(0, random.below(text.length + 1));

const moveLine: Edit = (text, random) => {
  const all = text.split('\n');
  const [from, to] = [random.below(all.length), random.below(all.length)];
  const [line = ''] = random.chance(0.7) ? all.splice(from, 1) : [all[from] ?? ''];
  all.splice(to, 0, line);
  return all.join('\n');
};

const prependLines: Edit = (text, random) => (random.chance(0.5) ? `\n\n${text}` : `// a comment\n${text}`);

/** Objects of the list are swapped, duplicated or removed. */
const entries: Edit = (text, random) => {
  const list = parseJson(text);
  if (!Array.isArray(list) || list.length === 0) return text;
  const all = [...(list as unknown[])];
  const [from, to] = [random.below(all.length), random.below(all.length)];
  const [one] = random.chance(0.6) ? all.splice(from, 1) : [all[from]];
  if (random.chance(0.8)) all.splice(to, 0, one);
  return JSON.stringify(all, null, 2);
};

/** A member is removed, or duplicated. */
const wrapInArray: Edit = (text, random) => (random.chance(0.5) ? `[${text},\n${text}]` : `[${text}]`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const EDITS: readonly Edit[] = [
  replaceWord,
  replaceWord,
  replaceWord,
  editWord,
  editWord,
  insertLetter,
  deleteLetters,
  moveLine,
  prependLines,
  entries,
  wrapInArray,
  truncateText,
];

/** The set after one more edit. Now and then a file is again as it was at first: else nothing would be whole for long. */
export function editAt(
  files: readonly SourceFile[],
  first: readonly SourceFile[],
  others: readonly SourceFile[],
  random: Random,
): readonly SourceFile[] {
  if (random.chance(0.1)) return first;
  if (files.length === 0 || random.chance(0.12)) return ofFiles(files, first, others, random);
  const words = files.flatMap(({ text }) => stringsIn(text).map(([found]) => found));
  const at = random.below(files.length);
  return files.map((source, i) => {
    if (i !== at) return source;
    const begun = first.find(({ file }) => file === source.file);
    if (begun !== undefined && random.chance(0.35)) return begun;
    return { ...source, text: random.pick(EDITS)(source.text, random, words) };
  });
}

function ofFiles(
  files: readonly SourceFile[],
  first: readonly SourceFile[],
  others: readonly SourceFile[],
  random: Random,
): readonly SourceFile[] {
  const at = random.below(files.length);
  const one = files[at];
  const added = random.pick([...others, ...first, { file: 'empty.json', text: '' }]);
  switch (random.below(5)) {
    case 0:
      return files.filter((_, i) => i !== at);
    case 1:
      return one === undefined
        ? files
        : files.map((file, i) => (i === at ? { ...file, file: `renamed-${file.file}` } : file));
    case 2:
      // Possibly under an existing name.
      return [...files, added];
    case 3:
      return [...files.slice(at), ...files.slice(0, at)];
    default:
      return files.map((file, i) => (i === at ? { ...file, unreadable: 'it is not UTF-8 text' } : file));
  }
}

type Fields = Record<string, Record<string, unknown>>;

/** Properties of a field in a model, and values that change what is checked. */
const FIELD_EDITS: Readonly<Record<string, readonly unknown[]>> = {
  type: ['String', 'Number', 'DateTime', 'Boolean', 'Strin'],
  optional: [true, false],
  secret: [true, false],
  blind_index: [true, false],
  unique: [true, false],
  primary_key: [true, false],
  max_length: [1, 26, 200],
  default: ['', 0],
};

const NEW_FIELDS = ['created_at', 'updated_at', 'deleted_at', 'email', 'user_id', 'note'];

/** The text of a model after an edit of one field: another name, gone, new, or with another property. */
export const editField: Edit = (text, random, words) => {
  const model = parseJson(text);
  if (typeof model !== 'object' || model === null || Array.isArray(model) || random.chance(0.2))
    return random.pick([editWord, insertLetter, deleteLetters])(text, random, words);
  const all = Object.entries(model as Fields);
  const at = random.below(all.length);
  const [name = '', field = {}] = all[at] ?? [];
  const property = random.pick(Object.keys(FIELD_EDITS));
  const value = random.pick(FIELD_EDITS[property] ?? [true]);
  const edited = random.pick<Fields>([
    { [`${name}s`]: field },
    { [name.slice(0, -1)]: field },
    {},
    { [name]: field, [random.pick(NEW_FIELDS)]: { type: 'String' } },
    { [name]: { ...field, [property]: value } },
    { [name]: { ...field, [property]: value } },
    { [name]: Object.fromEntries(Object.entries(field).filter(([key]) => key !== property)) },
  ]);
  return JSON.stringify(Object.fromEntries([...all.slice(0, at), ...Object.entries(edited), ...all.slice(at + 1)]));
};
