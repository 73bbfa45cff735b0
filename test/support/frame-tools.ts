/**
 * Hand-written frame and plan tools, for parts that only read payload fields and `$ENV.KEY`; the fault of a function.
 */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import { asText, isObject, type Json } from '../../contract/json.js';
import type { Frame, PlanTools, Reader } from '../../contract/plan.js';

export const createPayloadFrame = (payload: Readonly<Record<string, unknown>>): Frame =>
  ({ payload }) as unknown as Frame;

const fields = /\$PAYLOAD\.(\w+)/g;

/** Reads fields of the payload, at any depth and inside a text. */
function compileValue(json: Json): Reader {
  if (isObject(json)) {
    const readers = Object.entries(json).map(([name, inside]) => [name, compileValue(inside)] as const);
    return (frame) => Object.fromEntries(readers.map(([name, read]) => [name, read(frame)]));
  }
  if (typeof json !== 'string') return () => json;
  const whole = /^\$PAYLOAD\.(\w+)$/.exec(json)?.[1];
  if (whole !== undefined) return (frame) => frame.payload[whole];
  return (frame) => json.replace(fields, (_found, field: string) => String(frame.payload[field]));
}

/** What a query of the actionable writes, and which of the paths a rule makes optional. */
export interface FieldDemands {
  readonly writes?: readonly string[];
  readonly optional?: readonly string[];
}

/**
 * `environment` contains the values of `$ENV.NAME`. Without `demands` no query writes anything, and no rule has a
 * field.
 */
export const createFrameTools = (
  environment: Readonly<Record<string, string>> = { KEY: 'key' },
  { writes = [], optional = [] }: FieldDemands = {},
): PlanTools =>
  ({
    value: compileValue,
    columns: [],
    text:
      (json: Json): Reader<string> =>
      (frame) =>
        asText(json)
          .replace(/^\$ENV\.(\w+)$/, (_found, name: string) => environment[name] ?? '')
          .replace(fields, (_found, field: string) => asText(frame.payload[field])),
    slot: () => null,
    repeat: null,
    // The value itself, or an object around it.
    isWritten: (path: readonly string[]) => writes.some((one) => `${path.join('.')}.`.startsWith(`${one}.`)),
    payloadField: (...path: string[]) => (optional.includes(path.join('.')) ? { optional: true } : null),
    place: 'call#1',
  }) as unknown as PlanTools;

export function catchThrownFault(work: () => unknown): Fault {
  let failure: unknown;
  try {
    work();
  } catch (error) {
    failure = error;
  }
  expect(failure).to.be.instanceOf(Fault);
  return failure as Fault;
}
