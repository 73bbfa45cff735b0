/** The tree of values that a client opens: each object has a number while the request is stopped. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { MASKED, type SecretMask } from './secrets.js';

export interface VariableContext {
  readonly thread: number;
  /** Secret values of its request. */
  readonly secrets: readonly string[];
}

/** A value with the way that leads to it. */
export interface ValueNode {
  readonly value: unknown;
  readonly context: VariableContext;
  /** The expression that reads it; null where none does. */
  readonly expression: string | null;
  /** In the payload; null for any other value, which cannot be set. */
  readonly payloadPath: readonly string[] | null;
}

type Shown = Pick<
  DebugProtocol.Variable,
  'value' | 'type' | 'variablesReference' | 'indexedVariables' | 'namedVariables'
>;

export interface VariableTree {
  add(node: ValueNode): number;
  find(reference: number): ValueNode | undefined;
  show(name: string, node: ValueNode): Shown;
  listChildren(node: ValueNode, start?: number, count?: number): DebugProtocol.Variable[];
  /** The request goes on. */
  forgetThread(thread: number): void;
}

/** Characters of a text, and children without paging, that are shown. */
const MOST_TEXT = 10_000;
const MOST_CHILDREN = 1000;

export function createVariableTree(mask: () => SecretMask): VariableTree {
  const nodes = new Map<number, ValueNode>();
  let last = 0;

  function add(node: ValueNode): number {
    nodes.set(++last, node);
    return last;
  }

  function show(name: string, node: ValueNode): Shown {
    const { value, context } = node;
    if (value !== undefined && value !== null && mask().isSecret(toFieldName(name)))
      return { value: MASKED, variablesReference: 0 };
    if (Array.isArray(value))
      return {
        value: `[${value.length}]`,
        type: 'array',
        indexedVariables: value.length,
        variablesReference: value.length === 0 ? 0 : add(node),
      };
    if (isPlainObject(value)) {
      const count = Object.keys(value).length;
      return {
        value: count === 0 ? '{}' : `{${summarizeKeys(value)}}`,
        type: 'object',
        namedVariables: count,
        variablesReference: count === 0 ? 0 : add(node),
      };
    }
    return {
      value: formatScalar(value, (text) => mask().maskText(text, context.secrets)),
      type: typeof value,
      variablesReference: 0,
    };
  }

  return {
    add,
    find: (reference) => nodes.get(reference),
    show,
    listChildren(node, start = 0, count = MOST_CHILDREN) {
      const { value, context, expression, payloadPath } = node;
      const all = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
      return all.slice(start, start + count).map(([name, inner]) => {
        const reader = expression === null ? null : `${expression}.${name}`;
        const child = {
          value: inner,
          context,
          expression: reader,
          payloadPath: payloadPath === null ? null : [...payloadPath, name],
        };
        return {
          name,
          ...show(name, child),
          ...(reader !== null && { evaluateName: reader }),
          ...(payloadPath === null && { presentationHint: { attributes: ['readOnly'] } }),
        };
      });
    },
    forgetThread(thread) {
      for (const [reference, { context }] of nodes) if (context.thread === thread) nodes.delete(reference);
    },
  };
}

/** `$3 profile.pin` is a value for the field `pin`. */
const toFieldName = (name: string): string => name.split(/[ .]/).at(-1) ?? name;

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return false;
  return true;
}

const summarizeKeys = (value: object): string => {
  const keys = Object.keys(value);
  return `${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`;
};

function formatScalar(value: unknown, maskText: (text: string) => string): string {
  if (typeof value === 'string') {
    const text = maskText(value);
    return text === MASKED ? text : JSON.stringify(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
  }
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return `‹${value.byteLength} bytes›`;
  return String(value);
}
