/** The table of transactions behind `lintel check --transactions`: their isolation, the rows that they lock, and why. */
import { asText, isObject, type Json, type JsonObject } from '../contract/json.js';
import { createKernel } from '../kernel/runtime/kernel.js';
import type { Project } from '../language/project/project.js';
import type { StyleText } from '../language/source/code-frame.js';
import { alignColumns } from './columns.js';
import { createLog } from './log.js';
import type { Terminal } from './terminal.js';

const HEAD = ['actionables', 'isolation', 'locks', 'why'];
const LOCK = /\bFOR (?:NO KEY UPDATE|KEY SHARE|UPDATE|SHARE)\b/;

/** Compiles the valid definitions; connects to nothing. */
export async function formatTransactions(project: Project, terminal: Terminal, paint: StyleText): Promise<string> {
  const log = await createLog(terminal);
  log.level = 'error';
  const kernel = await createKernel({ project, log, onProblem: 'skip', connect: false });
  try {
    const rows = [...kernel.plans().byId.values()].flatMap(({ summary }) => listRows(summary.describe));
    return rows.length === 0 ? 'No transactions.' : alignColumns(HEAD, rows, paint);
  } finally {
    await kernel.close('done');
  }
}

const toObjects = (json: Json | undefined): readonly JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

/** Groups of deferred and scheduled parts have the same form, further inside. */
function listRows(json: Json): string[][] {
  if (Array.isArray(json)) return (json as readonly Json[]).flatMap(listRows);
  if (!isObject(json)) return [];
  const { isolation, why, actions } = json;
  if (typeof isolation !== 'string') return Object.values(json).flatMap(listRows);
  const all = toObjects(actions);
  const locked = all.filter(({ execute }) => isObject(execute) && LOCK.test(asText(execute['sql'])));
  const tables = new Set(
    locked.flatMap((action) => (Array.isArray(action['tables']) ? action['tables'] : []).map(asText)),
  );
  return [[all.map(({ key }) => asText(key)).join(', '), isolation, [...tables].join(', ') || '-', asText(why) || '-']];
}
