/**
 * A copy of the built repository in a temporary folder, in which a mutant replaces one compiled file: the repository itself can
 * be edited and built meanwhile, and every process that tests start runs the mutant, whatever its environment.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../support/project.js';

export interface Workspace {
  /** The copy. */
  readonly folder: string;
  /** For temporary files of test processes; `clear` empties it. */
  readonly scratch: string;
  clear(): void;
  /** Replaces a file of the copy; the result puts it back. */
  replaceFile(path: string, text: string): () => void;
  dispose(): void;
}

/** History, packages (linked instead) and the files of this tool. */
const LEFT_OUT = new Set(['.git', 'node_modules', join('dist', 'mutation')]);

export function createWorkspace(): Workspace {
  const base = mkdtempSync(join(tmpdir(), 'lintel-mutation-'));
  // Servers that run as another user have their folders in it.
  chmodSync(base, 0o755);
  const folder = join(base, 'repository');
  const scratch = join(base, 'scratch');
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // The published vectors, where they are.
  const shared = join(ROOT, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(base, 'shared'));
  const clear = (): void => {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(scratch, { mode: 0o755 });
  };
  clear();
  return {
    folder,
    scratch,
    clear,
    replaceFile(path, text) {
      const file = join(folder, path);
      const original = readFileSync(file);
      writeFileSync(file, text);
      return () => writeFileSync(file, original);
    },
    dispose: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}
