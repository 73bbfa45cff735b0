/** The address at which `lintel dev` listens for editors, in a file that only its user can read. */
import { readFile } from 'node:fs/promises';
import { Uri } from 'vscode';

export interface DevAddress {
  readonly port: number;
  readonly token: string;
}

/** Null while none runs. */
export async function readDevAddress(folder: Uri): Promise<DevAddress | null> {
  try {
    const file = Uri.joinPath(folder, '.lintel', 'dev.json').fsPath;
    const { port, token } = JSON.parse(await readFile(file, 'utf8')) as { port?: unknown; token?: unknown };
    return Number.isInteger(port) && typeof token === 'string' ? { port: Number(port), token } : null;
  } catch {
    return null;
  }
}
