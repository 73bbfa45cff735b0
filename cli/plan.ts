/** `lintel plan <id>`: prints the compiled plan of a resource, without values of the environment. */
import type { CommandOptions } from './options.js';
import { isObject, type Json } from '../contract/json.js';
import { createKernel } from '../kernel/runtime/kernel.js';
import { findNearest } from '../language/source/suggest.js';
import { createLog } from './log.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

const FORMATS = ['pretty', 'json'];

export async function printPlan(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { format = 'pretty', arguments: words } = options;
  const { stdout, stderr } = terminal;
  const [id] = words;
  if (id === undefined) {
    stderr.write('Which resource? lintel plan <id>\n');
    return 2;
  }
  if (!FORMATS.includes(format)) {
    stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const log = await createLog(terminal);
  // With JSON output only errors are logged: stdout is for the plan.
  log.level = format === 'json' ? 'error' : 'warn';
  const project = await loadTrustedProject('plan', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const kernel = await createKernel({ project, log, onProblem: 'skip', connect: false });
  try {
    const plans = kernel.plans();
    const found = plans.byId.get(id) ?? plans.byPath.get(`/${id}`);
    if (found === undefined) {
      const near = findNearest(id, plans.byId.keys());
      const known = kernel.analysis().resources.some((resource) => resource.id === id);
      const reason = known ? 'has errors; see `lintel check`' : 'does not exist';
      stderr.write(`The resource "${id}" ${reason}.${near === undefined ? '' : ` Did you mean "${near}"?`}\n`);
      return 1;
    }
    const { describe } = found.summary;
    stdout.write(format === 'json' ? `${JSON.stringify(describe, null, 2)}\n` : `${formatOutline(describe, 0)}\n`);
    return 0;
  } finally {
    await kernel.close('done');
  }
}

const formatScalar = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Formats JSON as an indented outline without braces and empty parts. */
function formatOutline(json: Json, depth: number): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(json)) {
    return (json as readonly Json[])
      .map((item) =>
        isObject(item)
          ? `${indent}- ${formatOutline(item, depth + 1).trimStart()}`
          : `${indent}- ${formatScalar(item)}`,
      )
      .join('\n');
  }
  if (!isObject(json)) return `${indent}${formatScalar(json)}`;
  return Object.entries(json)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) =>
      typeof value === 'object'
        ? `${indent}${key}:\n${formatOutline(value, depth + 1)}`
        : `${indent}${key}: ${formatScalar(value)}`,
    )
    .join('\n');
}
