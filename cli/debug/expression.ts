/** Conditions, log points and watched expressions: accessors, names, literals and comparisons. Never run as code. */
import { isObject, type Json } from '../../contract/json.js';

/** Undefined where there is no such value. */
export type ReadPath = (path: readonly string[], root: string | null) => unknown;

/** The message is shown to the developer. */
export class ExpressionError extends Error {}

type Expression = (read: ReadPath) => unknown;

interface Token {
  readonly sort: 'literal' | 'path' | 'operator';
  readonly text: string;
}

const TOKEN =
  /\s*(?:(?<operator>==|!=|<=|>=|&&|\|\||<|>|!|\(|\))|(?<literal>"(?:[^"\\]|\\.)*"|'[^']*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|(?:true|false|null)\b(?![.\w-]))|(?<path>\$?[A-Za-z_][\w-]*(?:\.[\w-]+)*))/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw new ExpressionError(
        `"${text.slice(at).trim()}" is no accessor, name, literal or comparison: write \`amount > 10\``,
      );
    const [sort, found = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? [];
    tokens.push({ sort: sort as Token['sort'], text: found });
  }
  return tokens;
}

/** Throws an ExpressionError. */
export function compileExpression(text: string): Expression {
  const tokens = tokenize(text);
  let at = 0;
  const takeOperator = (...operators: readonly string[]): string | null => {
    const token = tokens[at];
    if (token?.sort !== 'operator' || !operators.includes(token.text)) return null;
    at++;
    return token.text;
  };

  function parseAlternatives(): Expression {
    let left = parseConjunction();
    while (takeOperator('||') !== null) {
      const [first, second] = [left, parseConjunction()];
      left = (read) => isTrue(first(read)) || isTrue(second(read));
    }
    return left;
  }

  function parseConjunction(): Expression {
    let left = parseComparison();
    while (takeOperator('&&') !== null) {
      const [first, second] = [left, parseComparison()];
      left = (read) => isTrue(first(read)) && isTrue(second(read));
    }
    return left;
  }

  function parseComparison(): Expression {
    const left = parseOperand();
    const operator = takeOperator('==', '!=', '<', '<=', '>', '>=');
    if (operator === null) return left;
    const right = parseOperand();
    return (read) => compareValues(left(read), operator, right(read));
  }

  function parseOperand(): Expression {
    if (takeOperator('!') !== null) {
      const inner = parseOperand();
      return (read) => !isTrue(inner(read));
    }
    if (takeOperator('(') !== null) {
      const inner = parseAlternatives();
      if (takeOperator(')') === null) throw new ExpressionError('a closing parenthesis is missing');
      return inner;
    }
    const token = tokens[at++];
    if (token === undefined) throw new ExpressionError('a value is missing at the end');
    if (token.sort === 'literal') {
      const value = parseLiteral(token.text);
      return () => value;
    }
    if (token.sort === 'operator') throw new ExpressionError(`a value is expected before \`${token.text}\``);
    return compilePath(token.text);
  }

  const whole = parseAlternatives();
  const rest = tokens[at];
  if (rest !== undefined) throw new ExpressionError(`\`${rest.text}\` is not expected here`);
  return whole;
}

function compilePath(text: string): Expression {
  const [first = '', ...rest] = text.split('.');
  if (!first.startsWith('$')) return (read) => read([first, ...rest], null);
  const root = first.slice(1);
  return (read) => read(rest, root);
}

const parseLiteral = (text: string): Json => (text.startsWith("'") ? text.slice(1, -1) : (JSON.parse(text) as Json));

/** As in SQL, nothing is equal to an absent value but another one. */
export const isTrue = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

function compareValues(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  const isComparable =
    (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!isComparable) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === undefined || left === null) return right === undefined || right === null;
  if (isObject(left) || Array.isArray(left)) return JSON.stringify(left) === JSON.stringify(right);
  return left === right;
}

/** Undefined where nothing is inside. Reads own properties only. */
export function readInside(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[segment];
  }
  return at;
}

export function compileLogText(text: string): readonly (string | Expression)[] {
  return text
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') && part.endsWith('}') ? compileExpression(part.slice(1, -1)) : part));
}

const HITS = /^\s*(==|>=|>|%)?\s*(\d+)\s*$/;

/** `3`, `>= 3`, `> 3` or `% 3`: every third. */
export function compileHitCondition(text: string): (hits: number) => boolean {
  const [, operator = '==', digits = ''] = HITS.exec(text) ?? [];
  if (digits === '') throw new ExpressionError('a hit count is `3`, `>= 3`, `> 3` or `% 3`');
  const wanted = Number(digits);
  if (operator === '%') return (hits) => wanted > 0 && hits % wanted === 0;
  if (operator === '>') return (hits) => hits > wanted;
  return operator === '>=' ? (hits) => hits >= wanted : (hits) => hits === wanted;
}
