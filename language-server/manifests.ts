/**
 * Loads the plugins of a folder from its manifest; in trusted workspaces, a worker process replaces a missing or outdated one.
 * All input is untrusted.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../language/export/manifest.js';
import { readManifest } from '../language/export/manifest-read.js';
import {
  MAX_MANIFEST,
  formatWriteHint,
  loadManifest,
  type ManifestResult,
} from '../language/project/plugin-manifests.js';
import { createSpecDigest } from '../language/project/spec-digest.js';

/** Limits of the worker process: milliseconds and megabytes. */
const MAX_TIME = 10_000;
const MAX_MEMORY = 256;

export interface ManifestOptions {
  /** Folder of the project. */
  readonly root: string;
  /** Folder of the plugins; absolute. */
  readonly folder: string;
  /** As written in the config. */
  readonly name: string;
  readonly trusted: boolean;
  /** Folders of the config's other plugins. */
  readonly others: readonly string[];
}

export async function findManifest(place: ManifestOptions): Promise<ManifestResult> {
  const { root, folder, name, trusted } = place;
  const { real, inside, manifest, note } = await loadManifest(root, folder, name);
  if (real === null) return { manifest, note };
  if (!inside && !trusted) return { manifest, note: `${note ?? ''}, which is not trusted` };
  if (manifest !== null && (await isCurrent(real, manifest))) return { manifest, note };
  if (!trusted)
    return { manifest, note: note ?? `its manifest was written from other specs; ${formatWriteHint(name)} again` };
  const asked = await runManifestWorker({ ...place, folder: real });
  return asked.manifest === null ? { manifest, note: asked.note } : asked;
}

/** A manifest without a digest is of an earlier version and taken as it is. */
const isCurrent = async (folder: string, { specs }: Manifest): Promise<boolean> =>
  specs === undefined || specs === (await createSpecDigest(folder));

const running = new Set<ChildProcess>();

/** Kills running workers when this process exits. */
const killWorkers = (): void => running.forEach((child) => child.kill('SIGKILL'));

function killOnExit(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', killWorkers);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killWorkers);
  });
}

function runManifestWorker({ folder, name, others }: ManifestOptions): Promise<ManifestResult> {
  // In the same folder, whether compiled or bundled.
  const worker = fileURLToPath(new URL('./manifest-worker.js', import.meta.url));
  const words = [`--max-old-space-size=${MAX_MEMORY}`, worker, folder, name, ...others];
  // Makes an editor's Electron binary behave as Node.
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  const limits = { timeout: MAX_TIME, killSignal: 'SIGKILL', maxBuffer: MAX_MANIFEST, env, cwd: folder } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, limits, (error, stdout, stderr) => {
      const resolveWithNote = (why: string): void =>
        resolve({ manifest: null, note: `its specs cannot be read: ${why}` });
      if (error !== null)
        return resolveWithNote(error.killed === true ? `no answer in ${MAX_TIME / 1000} s` : firstLine(stderr));
      try {
        resolve({ manifest: readManifest(stdout), note: null });
      } catch (cause) {
        resolveWithNote(cause instanceof Error ? cause.message : String(cause));
      }
    });
    killOnExit(child);
  });
}

const firstLine = (text: string): string => text.split('\n')[0]?.slice(0, 300) ?? '';
