/** Writes the files of a new project, as `lintel init` has them, for the client. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { listSchemaFiles } from '../../language/export/schema-files.js';
import { readProjectTemplate } from '../../language/project/project-template.js';
import { builtIn } from './facts.js';

const TEMPLATE_FILE = 'project.txt.br';

export async function writeProjectTemplate(folder: string): Promise<void> {
  const files = [...(await readProjectTemplate()), ...listSchemaFiles('.vscode', 'all', builtIn())];
  await writeFile(join(folder, TEMPLATE_FILE), brotliCompressSync(JSON.stringify(files)));
}
