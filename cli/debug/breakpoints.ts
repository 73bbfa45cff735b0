/** The breakpoints of a client, moved to places of the definitions after each reload. */
import type { BreakpointTarget, Definitions } from './places.js';
import {
  compileExpression,
  compileHitCondition,
  compileLogText,
  ExpressionError,
  isTrue,
  type ReadPath,
} from './expression.js';

/** As the client sets it; lines and columns are zero-based. */
export interface WantedBreakpoint {
  readonly line: number;
  readonly column: number | undefined;
  readonly condition: string | undefined;
  readonly hitCondition: string | undefined;
  readonly logMessage: string | undefined;
}

export interface Breakpoint {
  readonly id: number;
  readonly file: string;
  /** Null: nothing can stop there, for the reason in `message`. */
  readonly target: BreakpointTarget | null;
  readonly message: string | undefined;
}

interface SetBreakpoint extends Breakpoint {
  readonly wanted: WantedBreakpoint;
  readonly isMet: (read: ReadPath) => boolean;
  readonly isCounted: (hits: number) => boolean;
  readonly log: ((reader: LogReader) => string) | null;
  hits: number;
}

/** For texts that are shown: without secrets. */
export interface LogReader {
  readonly read: ReadPath;
  readonly format: (value: unknown) => string;
}

export interface BreakpointHit {
  readonly stops: readonly Breakpoint[];
  readonly logs: readonly { readonly text: string; readonly target: BreakpointTarget }[];
}

export interface Breakpoints {
  /** Replaces those of the file. */
  set(file: string, wanted: readonly WantedBreakpoint[], definitions: Definitions): readonly Breakpoint[];
  /** To the places of other definitions. Returns those that moved. */
  update(definitions: Definitions): readonly Breakpoint[];
  /** Null where there is none. Counts the hit. */
  find(key: string, read: ReadPath, log: LogReader): BreakpointHit | null;
}

export function createBreakpoints(): Breakpoints {
  let last = 0;
  const byFile = new Map<string, readonly SetBreakpoint[]>();
  let byKey = new Map<string, readonly SetBreakpoint[]>();

  function indexByKey(): void {
    byKey = new Map();
    for (const one of [...byFile.values()].flat()) {
      const key = one.target?.key;
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), one]);
    }
  }

  const placeBreakpoint = (one: Omit<SetBreakpoint, 'target'>, definitions: Definitions): SetBreakpoint => {
    if (one.message !== undefined && one.message !== NO_PLACE) return { ...one, target: null };
    const target = definitions.findTarget(one.file, one.wanted.line, one.wanted.column);
    return { ...one, target, message: target === null ? NO_PLACE : undefined };
  };

  return {
    set(file, wanted, definitions) {
      const placed = wanted.map((one) =>
        placeBreakpoint({ id: ++last, file, hits: 0, ...compileBreakpoint(one) }, definitions),
      );
      byFile.set(file, placed);
      indexByKey();
      return placed;
    },
    update(definitions) {
      const moved: Breakpoint[] = [];
      for (const [file, all] of byFile) {
        const placed = all.map((one) => placeBreakpoint(one, definitions));
        byFile.set(file, placed);
        moved.push(...placed.filter((one, at) => isElsewhere(one, all[at])));
      }
      indexByKey();
      return moved;
    },
    find(key, read, reader) {
      const met = (byKey.get(key) ?? []).filter((one) => one.isMet(read) && one.isCounted(++one.hits));
      if (met.length === 0) return null;
      return {
        stops: met.filter(({ log }) => log === null),
        logs: met.flatMap(({ log, target }) =>
          log === null || target === null ? [] : [{ text: log(reader), target }],
        ),
      };
    },
  };
}

const NO_PLACE = 'No resource at this line or below it is served: it may have errors.';

function isElsewhere(one: Breakpoint, before: Breakpoint | undefined): boolean {
  const [now, then] = [one.target?.spot.range.start.line, before?.target?.spot.range.start.line];
  return now !== then || one.target?.key !== before?.target?.key;
}

function compileBreakpoint(
  wanted: WantedBreakpoint,
): Pick<SetBreakpoint, 'wanted' | 'isMet' | 'isCounted' | 'log' | 'message'> {
  try {
    const condition = wanted.condition ? compileExpression(wanted.condition) : null;
    const parts = wanted.logMessage ? compileLogText(wanted.logMessage) : null;
    return {
      wanted,
      message: undefined,
      isMet: (read) => condition === null || isTrue(condition(read)),
      isCounted: wanted.hitCondition ? compileHitCondition(wanted.hitCondition) : () => true,
      log:
        parts &&
        (({ read, format }) => parts.map((part) => (typeof part === 'string' ? part : format(part(read)))).join('')),
    };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { wanted, message: error.message, isMet: () => false, isCounted: () => false, log: null };
  }
}
