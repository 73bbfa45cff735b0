/** From executed ranges of compiled files to lines of their sources, by the source maps next to them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Executed, LinesByFile, ScriptCoverage } from './messages.js';

/** A position in the compiled text and its source line, counted from 1. */
interface Segment {
  readonly offset: number;
  readonly line: number;
}

const NOT = 0;
const LOAD = 1;
const RUN = 2;

/** Collects lines over many measurements. */
export class LineCollector {
  private readonly lines = { run: new Map<string, Set<number>>(), load: new Map<string, Set<number>>() };

  add(scripts: readonly ScriptCoverage[]): void {
    for (const [url, functions] of scripts) {
      const { path, segments } = readSegments(url);
      const states = new Uint8Array(segments.length);
      functions.forEach((ranges, index) => {
        // The first function of a script is the module itself.
        const state = index === 0 && ranges[0]?.[0] === 0 ? LOAD : RUN;
        for (const [start, end, count] of ranges) {
          const from = findFirst(segments, start);
          for (let i = from; i < segments.length && (segments[i]?.offset ?? end) < end; i++) {
            states[i] = count > 0 ? state : NOT;
          }
        }
      });
      const isLoaded = (functions[0]?.[0]?.[2] ?? 0) > 0;
      segments.forEach(({ line }, index) => {
        if (states[index] === RUN) addTo(this.lines.run, path, line);
        // Code that runs while the module is loaded runs in every process that loads it.
        if (states[index] === LOAD || (states[index] === RUN && isLoaded)) addTo(this.lines.load, path, line);
      });
    }
  }

  /** Lines that were executed since the last call. */
  takeExecuted(): Executed {
    const { run, load } = this.lines;
    const executed = { run: writeLines(run), load: writeLines(load) };
    run.clear();
    load.clear();
    return executed;
  }
}

function addTo(lines: Map<string, Set<number>>, path: string, line: number): void {
  const known = lines.get(path);
  if (known === undefined) lines.set(path, new Set([line]));
  else known.add(line);
}

function findFirst(segments: readonly Segment[], offset: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.offset ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function writeLines(lines: ReadonlyMap<string, ReadonlySet<number>>): LinesByFile {
  return Object.fromEntries([...lines].map(([path, set]) => [path, formatLines([...set])]));
}

export function formatLines(lines: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && line <= last[1] + 1) last[1] = line;
    else parts.push([line, line]);
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

export function parseLines(text: string): Set<number> {
  const lines = new Set<number>();
  for (const part of text.split(',')) {
    const [from = 0, to = from] = part.split('-').map(Number);
    for (let line = from; line <= to; line++) lines.add(line);
  }
  return lines;
}

const known = new Map<string, { readonly path: string; readonly segments: readonly Segment[] }>();

function readSegments(url: string): { readonly path: string; readonly segments: readonly Segment[] } {
  const cached = known.get(url);
  if (cached !== undefined) return cached;
  const file = fileURLToPath(url);
  const text = readFileSync(file, 'utf8');
  const { mappings } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { mappings: string };
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const path = file.replace(/^.*\/dist\//, '').replace(/\.js$/, '.ts');
  const read = { path, segments: decodeMappings(mappings, starts) };
  known.set(url, read);
  return read;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The segments of a source map with one source: groups of base64 digits, each relative to the one before. */
export function decodeMappings(mappings: string, starts: readonly number[]): Segment[] {
  const segments: Segment[] = [];
  let source = 0;
  mappings.split(';').forEach((group, row) => {
    let column = 0;
    if (group === '') return;
    for (const text of group.split(',')) {
      const [columns = 0, , lines] = decodeNumbers(text);
      column += columns;
      if (lines === undefined) continue;
      source += lines;
      segments.push({ offset: (starts[row] ?? 0) + column, line: source + 1 });
    }
  });
  return segments;
}

function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
