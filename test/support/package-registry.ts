/** A registry for npm with the packages that are installed here, so that `npm install` works without a network. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { ROOT } from './project.js';

export interface PackageRegistry {
  readonly url: string;
  stop(): Promise<void>;
}

type Manifest = Readonly<Record<string, unknown>> & { readonly version: string };

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

/** `folders`: below this repository, those of `node_modules`. */
export async function startPackageRegistry(folders: readonly string[]): Promise<PackageRegistry> {
  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '/').slice(1);
    const folder = path.replace(/\.tar$/, '');
    if (folders.includes(folder) && path !== folder) return sendFolder(join(ROOT, folder), res);
    const found = folders.filter((one) => one === `node_modules/${path}` || one.endsWith(`/node_modules/${path}`));
    if (found.length === 0) return void res.writeHead(404).end('{}');
    const manifests = found.map((one) => ({ ...readManifest(one), dist: { tarball: `${url}${one}.tar` } }));
    const versions = Object.fromEntries(manifests.map((manifest) => [manifest.version, manifest]));
    res.end(JSON.stringify({ name: path, 'dist-tags': { latest: manifests[0]?.version }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function sendFolder(folder: string, res: ServerResponse): void {
  const tar = spawn('tar', ['-c', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.']);
  tar.stdout.pipe(res);
}
