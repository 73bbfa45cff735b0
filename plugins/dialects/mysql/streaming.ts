/**
 * Rows as JSON text that is not held in full. An execution with a large text is ended and repeated (it only reads)
 * without the server's limit of time, which includes that of a slow receiver.
 */
import type { FieldPacket } from 'mysql2';
import type { Fault } from '../../../contract/fault.js';
import type { JsonStream } from '../../../contract/json-stream.js';
import type { RawJson } from '../../../contract/raw-json.js';
import type { Requester } from '../../../contract/requester.js';
import type { Rendering, Row } from '../kind.js';
import { RowTextWriter, toRawJson } from '../shared/json-objects.js';
import { ResultText } from '../shared/result-text.js';
import type { BoundValue } from './bind.js';
import { isMysqlConnectionLost, LargeTextError } from './errors.js';
import type { Lease, RowReceiver, RowSource } from './connection.js';
import { createRowReader } from './rows.js';
import { formatTimeSetting } from './settings.js';
import type { ValueType } from './types.js';

/** Code units of text from which a result is large. */
const LARGE_TEXT = 262_144;
/** Code units of the pieces that are passed on. */
const PIECE = 65_536;

export interface StreamedStatement {
  readonly text: string;
  readonly values: readonly BoundValue[];
  readonly outputs: ReadonlyMap<string, ValueType>;
  readonly rendering: Rendering;
  readonly requester: Requester;
  /** Null: a large text ends the execution with `LargeTextError`. Else milliseconds until the server ends others. */
  readonly deadline: number | null;
}

/** Releases the lease. `toFault`: of an error after the beginning. */
export function streamText(
  { wire, release }: Lease,
  statement: StreamedStatement,
  toFault: (error: unknown) => Fault,
): Promise<RawJson | JsonStream> {
  const { text, values, outputs, rendering, requester, deadline } = statement;
  const writer = new RowTextWriter(rendering);
  return new Promise((resolve, reject) => {
    let passed: ResultText | null = null;
    const begin = (source: RowSource): RowReceiver => {
      let read: (values: readonly unknown[]) => Row;
      const passText = (): void => {
        if (deadline === null) throw new LargeTextError();
        if (passed === null) {
          passed = new ResultText(source);
          requester.invocation.onFinish(() => source.cancel());
          resolve(passed.stream);
        }
        passed.write(writer.takeText());
      };
      return {
        setFields: (fields: readonly FieldPacket[]) => void (read = createRowReader(fields, outputs)),
        addRow(row) {
          writer.add(read(row));
          if (writer.ready > (passed === null ? LARGE_TEXT : PIECE)) passText();
        },
        get isPassedOn() {
          return passed !== null;
        },
      };
    };
    const finishText = (): void => {
      const rest = writer.close();
      if (passed === null) return resolve(toRawJson(rest));
      passed.write(rest);
      passed.finishText();
    };
    const fail = (error: Error): void => {
      if (passed === null) reject(error);
      else passed.fail(toFault(error));
    };
    const run = async (): Promise<void> => {
      if (deadline !== null) await wire.runCommand(formatTimeSetting(wire.flavour, 0));
      await wire.stream(text, values, begin);
    };
    const endLease = (isBroken: boolean): void => {
      if (isBroken || deadline === null) return release(isBroken);
      wire.runCommand(formatTimeSetting(wire.flavour, deadline)).then(
        () => release(false),
        () => release(true),
      );
    };
    run().then(
      () => {
        finishText();
        endLease(false);
      },
      (error: Error) => {
        fail(error);
        endLease(isMysqlConnectionLost(error));
      },
    );
  });
}
