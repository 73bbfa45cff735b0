/**
 * Compares payload fields, as received, with hashes. All failures have the same fault after the same work; nothing
 * may return early.
 */
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, getOwn, type Json } from '../../../contract/json.js';
import type { PlanTools, StepLimiter } from '../../../contract/plan.js';
import { ActionPhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { compilePath, splitPath, type PathReader } from '../../../language/strings/path.js';
import { feature, type Feature } from '../kind.js';
import { hasher, type Hasher, type Verify } from '../../hashers/kind.js';
import { createLimiter } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';

interface Entry {
  readonly read: PathReader;
  readonly hash: (row: object) => unknown;
  readonly verify: Verify;
}

export default defineRuntime(feature, {
  create: ({ resolve }) => {
    const turns = createStepLimiter();
    const plan: Feature['plan'] = ({ value }, tools) => {
      const written = value['verify_hashables'];
      const items = Array.isArray(written) ? (written as readonly Json[]).filter(isObject) : [];
      const entries = items.map((item) => compile(item, resolve(hasher, asText(item['algorithm'])), tools));
      return {
        presumes: true,
        steps: [
          {
            id: 'verify_hashables',
            phase: ActionPhase.CONFIRM,
            // Before `must_return_value`, so that the response does not reveal whether the row exists.
            order: -100,
            turns,
            run: async (frame, { result }) => {
              const row = getSingleRow(result);
              let wrong = entries.length === 0 ? 1 : 0;
              for (const { read, hash, verify } of entries) {
                const fits = await verify(read(frame.received), row === null ? undefined : hash(row), frame);
                if (!fits) wrong++;
              }
              if (wrong > 0) throw createFault('VER_FAILED');
            },
          },
        ],
      };
    };
    return { plan };
  },
});

function compile(item: Readonly<Record<string, Json>>, algorithm: Hasher, tools: PlanTools): Entry {
  const path = splitPath(asText(item['property']));
  tools.recordPayloadRead(path[0] ?? null);
  const named = asText(item['hash_field']);
  return {
    read: compilePath(path),
    hash: named === '' ? createStoredReader(path) : createStoredReader(splitPath(named)),
    verify: algorithm.createVerifier(),
  };
}

/** A column named like the last segment, or the nested value at the path. */
function createStoredReader(path: readonly string[]): (row: object) => unknown {
  const last = path.at(-1) ?? '';
  const inside = compilePath(path);
  return (row) => (Object.hasOwn(row, last) ? getOwn(row, last) : inside(row));
}

/** The only row; several rows are ambiguous and count as none. */
function getSingleRow(result: unknown): object | null {
  if (!Array.isArray(result)) return isObject(result) ? result : null;
  const [only] = result as readonly unknown[];
  return result.length === 1 && isObject(only) ? only : null;
}

const AT_ONCE = 2;
const PLACES = 100;
/** Limits open transactions: otherwise a burst of sign-ins would hold every database connection. */
export const createStepLimiter = (atOnce = AT_ONCE, places = PLACES): StepLimiter =>
  createLimiter(
    atOnce,
    places,
    (seconds) => createFault('VER_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );
