/** What can be said of a statement and its switches without knowing any table. */
import type { Json } from '../../../kernel/contract/json.js';
import type { Finding } from '../../../kernel/contract/plugin.js';
import { accessorsIn } from '../../../kernel/language/accessor.js';
import { scanSql, type SqlFault, type SqlScan } from '../../../kernel/language/sql.js';
import { rewriteSql } from '../../../kernel/language/sql-rewrite.js';

export function checkStatement(fields: Readonly<Record<string, Json>>): Finding[] {
  const { query, parameters } = fields;
  if (typeof query !== 'string') return [];
  const scan = scanSql(query);
  const at = '/query';
  const findings: Finding[] = scan.faults.map(({ code, what, start, end }) => ({
    code: 'SQL_BROKEN',
    at,
    span: [start, end],
    params: { what: brokenWords(code, what) },
  }));
  for (const { root, tail, start, end } of accessorsIn(query)) {
    findings.push({
      code: 'SQL_ACCESSOR',
      at,
      span: [start, end],
      params: { accessor: [`$${root}`, ...tail].join('.') },
    });
  }
  if (scan.statements === 0 && scan.faults.length === 0) findings.push({ code: 'SQL_EMPTY', at });
  if (scan.statements > 1) findings.push({ code: 'SQL_SEVERAL', at, params: { count: scan.statements } });
  for (const { name, start, end } of scan.quotedPlaceholders) {
    findings.push({ code: 'SQL_QUOTED_PLACEHOLDER', at, span: [start, end], params: { text: name } });
  }
  const count = Array.isArray(parameters) ? parameters.length : 0;
  return [...findings, ...checkParameters(scan, count), ...checkSwitches(scan, fields)];
}

function checkSwitches(scan: SqlScan, fields: Readonly<Record<string, Json>>): Finding[] {
  const timestamps = fields['with_timestamps'] === true;
  const softDelete = fields['soft_delete'] === true;
  if (scan.target === null && scan.verb === '') return [];
  const { fault, timestampsUsed, softDeleteUsed } = rewriteSql(scan, { timestamps, softDelete });
  const span = [scan.target?.start ?? 0, scan.target?.end ?? 0] as const;
  const findings: Finding[] = [];
  if (fault === 'no-columns') findings.push({ code: 'SQL_NO_COLUMNS', at: '/query', span });
  if (fault === 'source') findings.push({ code: 'SQL_SOURCE', at: '/query', span });
  const unused = (field: string, verbs: string): number =>
    findings.push({ code: 'SQL_NO_EFFECT', at: `/${field}`, params: { field, verbs } });
  if (timestamps && !timestampsUsed) unused('with_timestamps', 'INSERT and no UPDATE');
  if (softDelete && !softDeleteUsed) unused('soft_delete', 'DELETE');
  return findings;
}

function brokenWords(code: SqlFault['code'], what: string): string {
  if (code === 'SQL_UNTERMINATED') return `this ${what} has no end`;
  return /^[([{]$/.test(what) ? `this "${what}" is not closed` : `nothing is open that this "${what}" could close`;
}

function checkParameters(scan: SqlScan, count: number): Finding[] {
  const findings: Finding[] = [];
  for (const { n, start, end } of scan.placeholders) {
    if (n === 0) findings.push({ code: 'SQL_PLACEHOLDER_ZERO', at: '/query', span: [start, end] });
    if (n > count)
      findings.push({ code: 'SQL_PLACEHOLDER_COUNT', at: '/query', span: [start, end], params: { n, count } });
  }
  const used = new Set(scan.placeholders.map(({ n }) => n));
  for (let n = 1; n <= count; n++) {
    if (!used.has(n)) findings.push({ code: 'SQL_PARAMETER_UNUSED', at: `/parameters/${n - 1}`, params: { n } });
  }
  return findings;
}
