/** `lintel schema`: writes JSON Schemas of definitions, models and the config. */
import { resolve } from 'node:path';
import type { CommandOptions } from './options.js';
import { formatSchema, listSchemaFiles, SCHEMA_TARGETS } from '../language/export/schema-files.js';
import { findNearest } from '../language/source/suggest.js';
import { writeText } from './files.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

export async function runSchema(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { out, for: wanted = 'all' } = options;
  const { cwd, stdout, stderr } = terminal;
  const target = SCHEMA_TARGETS.find((name) => name === wanted);
  if (target === undefined) {
    const near = findNearest(wanted, SCHEMA_TARGETS);
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    stderr.write(`--for takes ${SCHEMA_TARGETS.join(', ')}; not "${wanted}".${hint}\n`);
    return 2;
  }
  const project = await loadTrustedProject('schema', 'manifests', options, terminal);
  if (project === null) return UNTRUSTED;
  const { registry } = project;
  if (out === undefined) {
    stdout.write(formatSchema(target, registry));
    return 0;
  }
  const files = out.endsWith('.json')
    ? [[out, formatSchema(target, registry)] as const]
    : listSchemaFiles(out, target, registry);
  for (const [file, text] of files) {
    await writeText(resolve(cwd, file), text);
    stdout.write(`wrote ${file}\n`);
  }
  return 0;
}
