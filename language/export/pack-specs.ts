/**
 * Serializes specs without code, so a bundle starts without building schemas. One line per schema is parsed on
 * demand; code is loaded when called.
 */
import { buildRegistry } from '../analysis/build-registry.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { QueryLanguage } from '../../contract/query-language.js';
import type { PluginSpec, SchemaLike } from '../../contract/plugin-spec.js';
import { foldSchema, createLazySchema } from '../schema/fold.js';
import { unpackNode, type PackedNode } from '../schema/packed-node.js';
import { toPlainData } from './manifest.js';

type ValuePath = readonly (string | number)[];

type LineReference = readonly [way: ValuePath, line: number];

interface PackedOne {
  readonly data: JsonObject;
  readonly schemas: readonly LineReference[];
  /** Names of members that stay in the code bundle: documentation. */
  readonly words: readonly string[];
  readonly code: readonly ValuePath[];
  readonly loaded?: Pick<PluginSpec, 'language'>;
}

interface Packed {
  readonly kinds: readonly PackedOne[];
  readonly specs: readonly PackedOne[];
}

export interface SpecList {
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
}

/** Members of a spec that no check of definitions reads. */
const WORDS: readonly string[] = ['examples', 'counterExamples', 'details'];

/** Returns ASCII text. Throws for what cannot be packed, or if the specs form no registry. */
export function packSpecs({ kinds, specs }: SpecList): string {
  const lines = [''];
  const known = new Map<string, number>();
  // Equal values share a line.
  const storeLine = (value: Json): number => {
    const text = JSON.stringify(value);
    const line = known.get(text) ?? lines.push(text) - 1;
    known.set(text, line);
    return line;
  };
  const packed: Packed = {
    kinds: kinds.map((kind) => packOne(kind, `kind ${kind.kind}`, storeLine)),
    specs: specs.map((spec) => packOne(spec, `${spec.kind}:${spec.name}`, storeLine)),
  };
  buildRegistry(kinds, specs);
  lines[0] = JSON.stringify(packed);
  return lines.join('\n').replaceAll(/[\u0080-\uffff]/g, escapeUnit);
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const isSchema = (value: object): value is SchemaLike => '__isYupSchema__' in value;

function packOne(whole: object, name: string, keep: (value: Json) => number): PackedOne {
  const schemas: LineReference[] = [];
  const code: ValuePath[] = [];
  const stripCode = (value: unknown, way: ValuePath): unknown => {
    if (typeof value === 'function') code.push(way);
    if (typeof value === 'function' || typeof value !== 'object' || value === null) {
      return typeof value === 'function' ? undefined : value;
    }
    if (isSchema(value)) {
      schemas.push([way, keep(toPlainData(foldSchema(value, name), name))]);
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item, i) => stripCode(item, [...way, i]) ?? null);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, stripCode(inner, [...way, key])]));
  };
  const { ...data } = toPlainData(stripCode(whole, []), name) as Record<string, Json>;
  const words = WORDS.filter((key) => key in data);
  for (const key of words) delete data[key];
  return { data, schemas, words, code };
}

/** `real` returns the specs with code, on first use. `languages`: their code is loaded anyway. */
export function unpackSpecs(text: string, real: () => SpecList, languages: readonly QueryLanguage[] = []): SpecList {
  const lines = text.split('\n');
  const read = (line: number): unknown => JSON.parse(lines[line] ?? '');
  const packed = read(0) as Packed;
  return {
    kinds: packed.kinds.map((one, i) => unpackOne(one, read, () => real().kinds[i])),
    specs: packed.specs.map((one, i) => unpackOne(addLanguage(one, languages), read, () => real().specs[i])),
  };
}

function addLanguage(one: PackedOne, languages: readonly QueryLanguage[]): PackedOne {
  const { language } = one.data;
  const found = languages.find(({ name }) => isObject(language) && language['name'] === name);
  if (found === undefined) return one;
  return { ...one, loaded: { language: found }, code: one.code.filter(([member]) => member !== 'language') };
}

function unpackOne<T extends object>(
  { data, schemas, words, code, loaded }: PackedOne,
  read: (line: number) => unknown,
  real: () => T | undefined,
): T {
  const whole: Record<string, unknown> = { ...data, ...loaded };
  for (const [way, line] of schemas) {
    put(
      whole,
      way,
      createLazySchema(() => unpackNode(read(line) as PackedNode)),
    );
  }
  for (const key of words) {
    Object.defineProperty(whole, key, { enumerable: true, get: () => (real() as Record<string, unknown>)[key] });
  }
  for (const way of code) {
    let found: ((...given: unknown[]) => unknown) | undefined;
    const call = (...given: unknown[]): unknown => {
      found ??= way.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], real()) as typeof found;
      return found?.(...given);
    };
    put(whole, way, call);
  }
  return Object.freeze(whole) as T;
}

function put(whole: Record<string | number, unknown>, way: ValuePath, value: unknown): void {
  const [last = '', ...before] = [...way].reverse();
  const holder = before.reverse().reduce((at, key) => (at[key] ??= {}) as typeof whole, whole);
  holder[last] = value;
}
