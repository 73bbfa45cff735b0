/** Places of compiled files in a stack, as places of the sources. Read only for failures: to keep source maps on costs every test. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | null>();

function readMap(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) {
    const beside = `${file}.map`;
    map = existsSync(beside) ? new SourceMap(JSON.parse(readFileSync(beside, 'utf8')) as SourceMapPayload) : null;
    maps.set(file, map);
  }
  return map;
}

export const mapStack = (stack: string): string =>
  stack.replaceAll(/file:\/\/(\/[^\s:()]+):(\d+):(\d+)/g, (place, path: string, line: string, column: string) => {
    const file = fileURLToPath(`file://${path}`);
    const entry = readMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = relative(process.cwd(), resolve(dirname(file), entry.originalSource));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
