/**
 * As much of a TextMate engine as the grammar of the extension needs: the leftmost match wins, of equals the first rule; a
 * capture with patterns is read by itself. Grammars of others count as empty.
 */
import type { Grammar, Rule } from '../../extension/tools/grammar.js';

export interface Token {
  readonly text: string;
  /** The names around the text, the outermost first. */
  readonly scopes: readonly string[];
}

export function tokenizeSource(grammar: Grammar, source: string): Token[] {
  let open: Rule | null = null;
  return source.split('\n').flatMap((line) => {
    const names: string[][] = Array.from(line, () => []);
    let at = 0;
    while (at <= line.length) {
      if (open !== null) {
        const end = matchAt(open.end ?? '', line, at);
        const until = end === null ? line.length : end.index + end[0].length;
        addScope(names, at, until, open.name);
        if (end === null) break;
        at = until;
        open = null;
      }
      const found = findFirstMatch(grammar, grammar.patterns, line, at);
      if (found === null) break;
      const { rule, match } = found;
      apply(grammar, rule, match, line, names);
      at = Math.max(match.index + match[0].length, match.index + (match[0] === '' ? 1 : 0));
      if (rule.begin !== undefined) open = rule;
    }
    return joinTokens(line, names);
  });
}

function matchAt(pattern: string, line: string, at: number): RegExpExecArray | null {
  const regex = new RegExp(pattern, 'dg');
  regex.lastIndex = at;
  return regex.exec(line);
}

/** The rules of an include. */
function expandRules(grammar: Grammar, patterns: readonly Rule[]): Rule[] {
  return patterns.flatMap((rule) => {
    if (rule.include?.startsWith('#') === true) {
      const named = grammar.repository[rule.include.slice(1)];
      if (named === undefined) throw new Error(`the grammar has no ${rule.include}`);
      return expandRules(grammar, [named]);
    }
    if (rule.include !== undefined) return [];
    return rule.match === undefined && rule.begin === undefined ? expandRules(grammar, rule.patterns ?? []) : [rule];
  });
}

function findFirstMatch(grammar: Grammar, patterns: readonly Rule[], line: string, at: number) {
  let best: { readonly rule: Rule; readonly match: RegExpExecArray } | null = null;
  for (const rule of expandRules(grammar, patterns)) {
    const match = matchAt(rule.match ?? rule.begin ?? '', line, at);
    if (match !== null && (best === null || match.index < best.match.index)) best = { rule, match };
  }
  return best;
}

function apply(grammar: Grammar, rule: Rule, match: RegExpExecArray, line: string, names: string[][]): void {
  addScope(names, match.index, match.index + match[0].length, rule.name);
  for (const [group, capture] of Object.entries(rule.captures ?? {})) {
    const [from, until] = match.indices?.[Number(group)] ?? [0, 0];
    addScope(names, from, until, capture.name);
    const inner = line.slice(0, until);
    let at = from;
    while (capture.patterns !== undefined && at < until) {
      const found = findFirstMatch(grammar, capture.patterns, inner, at);
      if (found === null) break;
      apply(grammar, found.rule, found.match, inner, names);
      at = found.match.index + Math.max(1, found.match[0].length);
    }
  }
}

function addScope(names: string[][], from: number, until: number, name: string | undefined): void {
  if (name !== undefined) for (let at = from; at < until; at++) names[at]?.push(name);
}

function joinTokens(line: string, names: readonly (readonly string[])[]): Token[] {
  const tokens: { text: string; scopes: readonly string[] }[] = [];
  names.forEach((scopes, at) => {
    const last = tokens.at(-1);
    if (last?.scopes.join() === scopes.join()) last.text += line.charAt(at);
    else tokens.push({ text: line.charAt(at), scopes });
  });
  return tokens;
}
