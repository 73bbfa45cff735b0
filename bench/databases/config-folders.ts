/**
 * Folders that our server serves from: the definitions of the benchmark with a config of their own. Those for tables are the same
 * for every SQL database; those for documents are the same for every document store.
 */
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../targets.js';

/** How the benchmark itself puts back an embedded database, through the server that has it. */
type EmbeddedKind = 'tables' | 'documents';

const bench = join(root, 'bench');

async function createHome(
  folder: string,
  parts: readonly string[],
  config: object,
  own?: EmbeddedKind,
): Promise<string> {
  const place = await mkdtemp(join(folder, 'home-'));
  const definitions = join(place, 'definitions');
  for (const part of parts) await cp(join(bench, part), join(definitions, part), { recursive: true });
  if (own !== undefined) await cp(join(bench, 'embedded', own), join(definitions, 'own'), { recursive: true });
  if (own === 'tables') await cp(join(bench, 'embedded/migrations'), join(place, 'migrations'), { recursive: true });
  const file = join(place, 'lintel.config.json');
  await writeFile(file, JSON.stringify({ definitions: ['definitions/**/*.json'], ...config }));
  return file;
}

/** The path of the config. */
export const createTableHome = (folder: string, connection: object, own?: EmbeddedKind): Promise<string> =>
  createHome(
    folder,
    ['definitions/models', 'definitions/resources', 'definitions/tokens'],
    { connections: { main: connection } },
    own,
  );

/** The documents of an embedded store lie in `path`. */
export const createDocumentHome = (folder: string, store: object, own?: EmbeddedKind, path?: string): Promise<string> =>
  createHome(
    folder,
    ['documents'],
    {
      documents: { main: store },
      ...(path !== undefined && { connections: { main: { use: 'pglite', path } } }),
    },
    own,
  );
