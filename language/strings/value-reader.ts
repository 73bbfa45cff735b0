/** Compiles JSON of a definition to readers. Values read at run time are never searched for accessors. */
import type { CompiledAccessor as Compiled } from '../../contract/handles.js';
import type { Json } from '../../contract/json.js';
import { ExactNumber } from '../../contract/exact-number.js';
import { isObject } from '../../contract/json.js';
import { createFault } from '../../contract/fault.js';
import type { Frame } from '../../contract/plan.js';
import { parseTemplate, type AccessorPart } from './accessor.js';

export type CompileAccessor = (part: AccessorPart) => Compiled;

const createConstant = (value: unknown): Compiled => ({ constant: true, read: () => value });

/** Constant accessors (`$ENV`) are read here, once. */
export function compileValue(json: Json, accessor: CompileAccessor): Compiled {
  if (typeof json === 'string') return compileString(json, accessor);
  if (Array.isArray(json)) return compileArray(json as readonly Json[], accessor);
  if (isObject(json)) return compileObject(json, accessor);
  return createConstant(json);
}

function compileString(text: string, accessor: CompileAccessor): Compiled {
  const parts = parseTemplate(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return foldConstant(accessor(only));
  if (parts.every((part) => typeof part === 'string')) return createConstant(text);
  const readers = parts.map((part) => {
    if (typeof part === 'string') return part;
    const compiled = accessor(part);
    const name = [`$${part.root}`, ...part.tail].join('.');
    return compiled.constant
      ? toText(compiled.read(), name)
      : (frame: Frame): string => toText(compiled.read(frame), name);
  });
  if (readers.every((reader) => typeof reader === 'string')) return createConstant(readers.join(''));
  return {
    constant: false,
    read: (frame) => {
      let out = '';
      for (const reader of readers) out += typeof reader === 'string' ? reader : reader(frame);
      return out;
    },
  };
}

function foldConstant(compiled: Compiled): Compiled {
  return compiled.constant ? createConstant(compiled.read()) : compiled;
}

/** Throws for objects, arrays and null. */
export function toText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return value.toString();
  throw createFault('ACC_NOT_TEXT', { name });
}

function compileArray(items: readonly Json[], accessor: CompileAccessor): Compiled {
  const compiled = items.map((item) => compileValue(item, accessor));
  const constants = readConstants(compiled);
  if (constants !== null) return createConstant(constants);
  const readers = compiled.map((item) => item.read);
  return { constant: false, read: (frame) => readers.map((read) => read(frame)) };
}

/** Null unless all are constant. */
function readConstants(compiled: readonly Compiled[]): readonly unknown[] | null {
  const constants = compiled.flatMap((item) => (item.constant ? [item.read()] : []));
  return constants.length === compiled.length ? Object.freeze(constants) : null;
}

function compileObject(json: Readonly<Record<string, Json>>, accessor: CompileAccessor): Compiled {
  const keys = Object.keys(json);
  const compiled = Object.values(json).map((value) => compileValue(value, accessor));
  const constants = readConstants(compiled);
  if (constants !== null)
    return createConstant(Object.freeze(Object.fromEntries(keys.map((key, at) => [key, constants[at]]))));
  const readers = compiled.map(({ read }, at) => [keys[at] ?? '', read] as const);
  // On an ordinary object, assigning `__proto__` would change the prototype.
  const hasProto = Object.hasOwn(json, '__proto__');
  const createEmptyObject = (): Record<string, unknown> =>
    hasProto ? (Object.create(null) as Record<string, unknown>) : {};
  return {
    constant: false,
    read: (frame) => {
      const out = createEmptyObject();
      for (const [key, read] of readers) out[key] = read(frame);
      return out;
    },
  };
}
