/** The project of the suites in a real VS Code: files next to those of the sample, and those of an untrusted author. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineQueryResource, ROOT } from './project.js';

/** Two files that refer to one resource, and one for mistakes. */
export const OWN = {
  'lintel.config.json': { definitions: ['definitions/**/*.json'] },
  'definitions/own/shelf.json': defineQueryResource('shelf', 'SELECT currency FROM _rates', [], { result: 'many' }),
  'definitions/own/rate.json': {
    id: 'rate',
    resource: 'rate',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { currency: { type: 'STRING' } }, min_length: 3, max_length: 3 }],
        sql_query: { query: 'SELECT currency FROM _rates WHERE currency = $1', parameters: ['currency'] },
      },
    ],
    returnables: ['currency'],
  },
  'definitions/own/visit.json': {
    id: 'visit',
    resource: 'visit',
    actionables: [{ id: 1, mode: 'RETURN', value: 'here', depends_on: [{ resource_id: 'shelf', action_ids: [1] }] }],
  },
  'definitions/own/desk.json': '{\n  "id": "desk",\n  "resource": "desk",\n  \n  "actionables": []\n}\n',
};

/** The project's own command line, where `npm install` would have put it. */
export async function installLintel(folder: string, first = ':'): Promise<void> {
  const bin = join(folder, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\n${first}\nexec '${process.execPath}' '${join(ROOT, 'dist/bundle/cli.js')}' "$@"\n`;
  await writeFile(join(bin, 'lintel'), script, { mode: 0o755 });
}

/** Files that an untrusted author adds to a folder, so that code of it runs; each writes a file into `ran/`. */
export const STRANGE = {
  'lintel.config.json': { definitions: ['definitions/**/*.json'], plugins: ['builtin:*', './strange'] },
  'strange/thing/spec.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('../../ran/spec', import.meta.url), '');\n`,
  'strange/server.js': `require('fs').writeFileSync(require('path').join(__dirname, '..', 'ran', 'server'), '');\n`,
  '.vscode/settings.json': {
    'lintel.server.path': 'strange/server.js',
    'lintel.request.baseUrl': 'http://127.0.0.1:1',
  },
  '.vscode/tasks.json': {
    version: '2.0.0',
    tasks: [{ type: 'lintel', command: 'dev', label: 'strange', runOptions: { runOn: 'folderOpen' } }],
  },
};
