/**
 * What is known of the plugins in one folder: its manifest, or in a trusted workspace what a process of its own says when the
 * manifest is missing or older than the specs. Everything read here comes from strangers and is judged as that.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../kernel/export/manifest.js';
import { readManifest } from '../kernel/export/manifest-read.js';

const MANIFEST_NAME = 'plugin.manifest.json';

/** Bytes of a manifest; the reader has a limit of its own behind this one. */
const MAX_BYTES = 2_000_000;
/** Milliseconds and megabytes of the process that runs a workspace's specs. */
const MAX_TIME = 10_000;
const MAX_MEMORY = 256;

export interface FoundManifest {
  /** Null where nothing can be known. */
  readonly manifest: Manifest | null;
  /** What somebody should know about it, as the second half of a sentence. */
  readonly note: string | null;
}

export interface ManifestPlace {
  /** Of the project. */
  readonly root: string;
  /** Of the plugins; absolute. */
  readonly folder: string;
  /** As the config writes it. */
  readonly name: string;
  readonly trusted: boolean;
  /** Folders of the config's other plugins. */
  readonly others: readonly string[];
}

export async function findManifest(place: ManifestPlace): Promise<FoundManifest> {
  const { root, folder, trusted } = place;
  const real = await realpath(folder).catch(() => null);
  if (real === null) return { manifest: null, note: 'there is no such folder' };
  const inside = (real + sep).startsWith((await realpath(root)) + sep);
  if (!inside && !trusted) return { manifest: null, note: 'it lies outside the project, which is not trusted' };
  const written = await readWritten(join(real, MANIFEST_NAME));
  const isStale = written.manifest !== null && (await newestSpec(real, 0)) > written.time;
  if (written.manifest !== null && !isStale) return { manifest: written.manifest, note: null };
  const command = `\`lintel manifest ${place.name}\` writes it`;
  if (!trusted) {
    if (written.manifest === null) return { manifest: null, note: written.why ?? `it has no manifest; ${command}` };
    return { manifest: written.manifest, note: `its manifest is older than its specs; ${command} again` };
  }
  const asked = await askProcess({ ...place, folder: real });
  return asked.manifest === null ? { manifest: written.manifest, note: asked.note } : asked;
}

interface Written {
  readonly manifest: Manifest | null;
  readonly why: string | null;
  /** When it was written, in milliseconds. */
  readonly time: number;
}

async function readWritten(file: string): Promise<Written> {
  try {
    const { size, mtimeMs } = await stat(file);
    if (size > MAX_BYTES) return { manifest: null, why: `its manifest is larger than ${MAX_BYTES} bytes`, time: 0 };
    return { manifest: readManifest(await readFile(file, 'utf8')), why: null, time: mtimeMs };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = error instanceof Error ? error.message : String(error);
    return { manifest: null, why: isMissing ? null : `its manifest is not sound: ${what}`, time: 0 };
  }
}

/** When the newest spec or kind below a folder was written; runtimes say nothing to an editor. */
async function newestSpec(folder: string, depth: number): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const times = entries.map(async (entry) => {
    const name = join(folder, entry.name);
    if (entry.isFile()) return /^(spec|kind)\.m?[jt]s$/.test(entry.name) ? (await stat(name)).mtimeMs : 0;
    const skipped = !entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.') || depth >= 3;
    return skipped ? 0 : newestSpec(name, depth + 1);
  });
  return Math.max(0, ...(await Promise.all(times)));
}

const running = new Set<ChildProcess>();

/** An editor that leaves takes the process that reads specs along. */
const endWithUs = (): void => running.forEach((child) => child.kill('SIGKILL'));

/** The child is one of those that end with this process, as long as it runs. */
function keep(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', endWithUs);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endWithUs);
  });
}

function askProcess({ folder, name, others }: ManifestPlace): Promise<FoundManifest> {
  // Beside this file, compiled or bundled.
  const worker = fileURLToPath(new URL('./manifest-worker.js', import.meta.url));
  const words = [`--max-old-space-size=${MAX_MEMORY}`, worker, folder, name, ...others];
  // An editor's own program is Node only when it is told to be.
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  const limits = { timeout: MAX_TIME, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES, env, cwd: folder } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, limits, (error, stdout, stderr) => {
      const refused = (why: string): void => resolve({ manifest: null, note: `its specs cannot be read: ${why}` });
      if (error !== null)
        return refused(error.killed === true ? `no answer in ${MAX_TIME / 1000} s` : firstLine(stderr));
      try {
        resolve({ manifest: readManifest(stdout), note: null });
      } catch (cause) {
        refused(cause instanceof Error ? cause.message : String(cause));
      }
    });
    keep(child);
  });
}

const firstLine = (text: string): string => text.split('\n')[0]?.slice(0, 300) ?? '';
