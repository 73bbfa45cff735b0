/** Checks a statement and its options without knowledge of the tables. */
import type { LexicalFault, StatementText } from '../../../contract/statement-text.js';
import type { Json } from '../../../contract/json.js';
import type { Finding, FindingEdit } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { findPointless } from './analysis/common-mistakes.js';
import { scanSql } from './text/scan.js';
import { rewriteSql } from './text/rewrite.js';

export function checkStatement(fields: Readonly<Record<string, Json>>): Finding[] {
  const { query, parameters } = fields;
  if (typeof query !== 'string') return [];
  const scan = scanSql(query);
  const at = '/query';
  const count = Array.isArray(parameters) ? parameters.length : 0;
  const findings: Finding[] = scan.faults.map(({ code, what, start, end }) => ({
    code: 'SQL_BROKEN',
    at,
    span: [start, end],
    params: { what: describeSqlFault(code, what) },
  }));
  for (const { root, tail, start, end } of listAccessors(query)) {
    findings.push({
      code: 'SQL_ACCESSOR',
      at,
      span: [start, end],
      params: { accessor: [`$${root}`, ...tail].join('.') },
      ...createBindFix(scan, count, [start, end], [`$${root}`, ...tail].join('.')),
    });
  }
  if (scan.statements === 0 && scan.faults.length === 0) findings.push({ code: 'SQL_EMPTY', at });
  if (scan.statements > 1) findings.push({ code: 'SQL_SEVERAL', at, params: { count: scan.statements } });
  for (const { name, start, end } of scan.quotedPlaceholders) {
    const fix = createUnquoteFix(scan, [start, end], name);
    findings.push({ code: 'SQL_QUOTED_PLACEHOLDER', at, span: [start, end], params: { text: name }, ...fix });
  }
  return [...findings, ...checkParameters(scan, count), ...checkSwitches(scan, fields), ...checkPointless(scan)];
}

const checkPointless = (scan: StatementText): Finding[] =>
  findPointless(scan).map(({ isSortKey, text, start, end }) => ({
    code: isSortKey ? 'SQL_SORTS_NOTHING' : 'SQL_NEVER_TRUE',
    at: '/query',
    span: [start, end],
    params: { text },
  }));

function checkSwitches(scan: StatementText, fields: Readonly<Record<string, Json>>): Finding[] {
  const timestamps = fields['with_timestamps'] === true;
  const softDelete = fields['soft_delete'] === true;
  if (scan.target === null && scan.verb === '') return [];
  const { fault, timestampsUsed, softDeleteUsed } = rewriteSql(scan, { timestamps, softDelete });
  const span = [scan.target?.start ?? 0, scan.target?.end ?? 0] as const;
  const findings: Finding[] = [];
  if (fault === 'no-columns') findings.push({ code: 'SQL_NO_COLUMNS', at: '/query', span });
  if (fault === 'source') findings.push({ code: 'SQL_SOURCE', at: '/query', span });
  const reportUnused = (field: string, verbs: string): number =>
    findings.push({
      code: 'SQL_NO_EFFECT',
      at: `/${field}`,
      params: { field, verbs },
      fix: { title: `remove "${field}"`, edits: [{ at: `/${field}`, remove: true }] },
    });
  if (timestamps && !timestampsUsed) reportUnused('with_timestamps', 'INSERT and no UPDATE');
  if (softDelete && !softDeleteUsed) reportUnused('soft_delete', 'DELETE');
  return findings;
}

function describeSqlFault(code: LexicalFault['code'], what: string): string {
  if (code === 'SQL_UNTERMINATED') return `this ${what} has no end`;
  return /^[([{]$/.test(what) ? `this "${what}" is not closed` : `nothing is open that this "${what}" could close`;
}

function checkParameters(scan: StatementText, count: number): Finding[] {
  const findings: Finding[] = [];
  for (const { n, start, end } of scan.placeholders) {
    if (n === 0) {
      findings.push({
        code: 'SQL_PLACEHOLDER_ZERO',
        at: '/query',
        span: [start, end],
        ...createRenumberFix(scan, count),
      });
    }
    if (n > count) {
      findings.push({
        code: 'SQL_PLACEHOLDER_COUNT',
        at: '/query',
        span: [start, end],
        params: { n, count },
        ...createAddFix(scan, count),
      });
    }
  }
  const used = new Set(scan.placeholders.map(({ n }) => n));
  const unused = Array.from({ length: count }, (_, i) => i + 1).filter((n) => !used.has(n));
  for (const n of unused) {
    const at = `/parameters/${n - 1}`;
    findings.push({ code: 'SQL_PARAMETER_UNUSED', at, params: { n }, ...createUnusedFix(scan, unused, count) });
  }
  return findings;
}

type Fix = Pick<Finding, 'fix'>;
type Span = readonly [number, number];

const renumberPlaceholders = (scan: StatementText, number: (n: number) => number): FindingEdit[] =>
  scan.placeholders.flatMap(({ n, start, end }) =>
    number(n) === n ? [] : [{ at: '/query', span: [start, end] as const, text: `$${number(n)}` }],
  );

/** Placeholders start at $0 and match the number of values, so all are one too low. */
function createRenumberFix(scan: StatementText, count: number): Fix {
  const highest = Math.max(...scan.placeholders.map(({ n }) => n));
  if (highest + 1 !== count) return {};
  return { fix: { title: 'count from $1', edits: renumberPlaceholders(scan, (n) => n + 1) } };
}

/** Adds values for all placeholders, named after their columns. */
function createAddFix(scan: StatementText, count: number): Fix {
  const highest = Math.max(...scan.placeholders.map(({ n }) => n));
  // A typing error such as $10000 must not add thousands of names.
  if (highest > count + MOST_ADDED) return {};
  const names = Array.from({ length: highest - count }, (_, i) => {
    return scan.placeholders.find((one) => one.n === count + 1 + i)?.column ?? '';
  });
  if (names.includes('')) return {};
  const listed = names.map((name) => `"${name}"`).join(', ');
  return { fix: { title: `add ${listed} to "parameters"`, edits: [{ at: '/parameters', add: names }], asks: true } };
}
const MOST_ADDED = 20;

/** The string literal around a location, if it contains nothing else. */
function findQuotes({ tokens }: StatementText, [start, end]: Span): Span | null {
  const token = tokens.find((one) => one.type === 'string' && one.start < start && one.end > end);
  if (token === undefined) return [start, end];
  return token.start === start - 1 && token.end === end + 1 ? [token.start, token.end] : null;
}

function createUnquoteFix(scan: StatementText, span: Span, name: string): Fix {
  const around = findQuotes(scan, span);
  return around === null
    ? {}
    : { fix: { title: `write ${name} without quotes`, edits: [{ at: '/query', span: around, text: name }] } };
}

function createBindFix(scan: StatementText, count: number, span: Span, accessor: string): Fix {
  const around = findQuotes(scan, span);
  const n = count + 1;
  if (around === null || isName(scan, span) || Math.max(0, ...scan.placeholders.map((one) => one.n)) !== count)
    return {};
  const edits = [
    { at: '/query', span: around, text: `$${n}` },
    { at: '/parameters', add: [accessor] },
  ];
  return { fix: { title: `write $${n} and put "${accessor}" into "parameters"`, edits, asks: true } };
}

/** Names follow these keywords, and a placeholder cannot replace a name. */
function isName({ tokens, text }: StatementText, [start]: Span): boolean {
  const before = tokens.findLast((token) => token.end <= start);
  return before !== undefined && /^(FROM|INTO|UPDATE|JOIN|TABLE|BY)$/i.test(text.slice(before.start, before.end));
}

/** Removes the value and renumbers later placeholders; removes the list where no value is used. */
function createUnusedFix(scan: StatementText, unused: readonly number[], count: number): Fix {
  const [only, other] = unused;
  if (only === undefined) return {};
  if (count > 1 && unused.length === count) {
    return { fix: { title: 'remove "parameters"', edits: [{ at: '/parameters', remove: true }], asks: true } };
  }
  if (other !== undefined || scan.placeholders.some(({ n }) => n > count)) return {};
  const remove = { at: `/parameters/${only - 1}`, remove: true } as const;
  const edits = [remove, ...renumberPlaceholders(scan, (n) => (n > only ? n - 1 : n))];
  return { fix: { title: 'remove it', edits, asks: true } };
}
