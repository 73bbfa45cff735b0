/** Quick fix: writes a model for a table without one, with the statement's columns. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { Slot } from '../../contract/slot.js';
import type { Registry } from '../../language/analysis/registry.js';
import type { SqlText } from '../../language/analysis/facts.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { TIMESTAMPS } from '../../contract/model.js';
import { offsetInFile } from '../../language/source/document.js';
import { toFileUri } from '../uri.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export function modelActions(asked: ActionSourceInput): CodeActionOffer[] {
  const known = asked.server.client.workspace?.workspaceEdit;
  if (known?.documentChanges !== true || known.resourceOperations?.includes('create') !== true) return [];
  return asked.problems.flatMap((problem) => (problem.code === 'SQL_TABLE' ? offerModel(asked, problem) : []));
}

function offerModel({ view }: ActionSourceInput, problem: Problem): CodeActionOffer[] {
  const offset = view.offsetAt(problem.range.start);
  const definition = view.definitionAt(offset);
  const statement = definition?.finds.statements.find(
    ({ node }) => offsetInFile(definition.doc, node.start) <= offset && offset < offsetInFile(definition.doc, node.end),
  );
  const type = plainType(view.registry);
  if (statement === undefined || type === null) return [];
  const source = view.doc.text.slice(offset, view.offsetAt(problem.range.end)).toLowerCase();
  // Quoted names and names with other characters are left to the author.
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(source)) return [];
  const file = join(dirname(view.name), `_${source}.model.json`);
  if (view.project.files.has(file) || existsSync(file)) return [];
  const columns = columnsIn(view.analysis, statement);
  const rest = columns.filter((name) => name !== KEY && !TIMESTAMPS.includes(name));
  const lines = [
    `  ${JSON.stringify(KEY)}: { "type": ${JSON.stringify(type)}, "primary_key": true }`,
    ...rest.map((name) => `  ${JSON.stringify(name)}: { "type": ${JSON.stringify(type)} }`),
  ];
  const uri = toFileUri(file);
  const start = { line: 0, character: 0 };
  const edit = {
    documentChanges: [
      { kind: 'create' as const, uri, options: { ignoreIfExists: true } },
      {
        textDocument: { uri, version: null },
        edits: [{ range: { start, end: start }, newText: `{\n${lines.join(',\n')}\n}\n` }],
      },
    ],
  };
  // Needs review, because a statement does not reveal column types.
  return [{ title: `Write a model of "${source}"`, edit, fixes: [problem], needsReview: true }];
}

const KEY = 'id';

/** The simplest column type for text. */
function plainType(registry: Registry): string | null {
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0]?.kind ?? '';
  const names = registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.column === 'text');
  return names.find((name) => name.toLowerCase() === 'string') ?? names[0] ?? null;
}

/** Columns that certainly belong to the table. */
function columnsIn({ names }: Analysis, { node, scan }: SqlText): string[] {
  if (new Set(scan.tables.map(({ name }) => name)).size !== 1) return [];
  const read = (names.get(node)?.names ?? []).flatMap(({ sort, name }) => (sort === 'column' ? [name] : []));
  const bound = scan.placeholders.flatMap(({ column }) => column ?? []);
  const all = [...intoColumns(scan), ...read, ...bound];
  return [...new Set(all)].filter((name) => /^[a-z_][a-z0-9_]{0,62}$/.test(name));
}

/** The columns of `INSERT INTO table (a, b)`. */
function intoColumns({ text, tokens, target, verb }: SqlText['scan']): string[] {
  if (verb !== 'INSERT' || target === null) return [];
  const behind = tokens.filter(({ start, type }) => start >= target.end && type !== 'comment');
  if (behind[0]?.type !== 'open') return [];
  const end = behind.findIndex(({ type }) => type === 'close');
  const words = behind.slice(1, end).filter(({ type }) => type === 'word');
  return words.map(({ start, end: to }) => text.slice(start, to).toLowerCase());
}
