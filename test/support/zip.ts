/** Names of the files in a zip archive, with their sizes when unpacked: the directory at its end, nothing more. */
import { readFileSync } from 'node:fs';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

export function readZipEntries(file: string): Map<string, number> {
  const bytes = readFileSync(file);
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new Error(`${file} is no zip archive`);
  const entries = new Map<string, number>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw new Error(`${file}: no entry at ${at}`);
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const start = at + 46;
    entries.set(bytes.toString('utf8', start, start + (name ?? 0)), bytes.readUInt32LE(at + 24));
    at = start + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}
