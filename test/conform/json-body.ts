/** `json.body`: the result of the HTTP layer for the bytes of a body. */
import { Fault } from '../../contract/fault.js';
import { isJsonType } from '../../language/strings/header.js';
import { parseJson } from '../../kernel/http/body.js';
import { REQUEST_CODES } from '../../language/problems/request-codes.js';
import { readHexInput, readTextInput, type Ops, type Outcome } from './ops.js';

const LIMITS = { body: 1_048_576, depth: 32, keys: 1000, array: 10_000 };

const createRejection = (code: string): Outcome => {
  const entry = Object.entries(REQUEST_CODES).find(([name]) => name === code)?.[1];
  return { ok: false, error: code, ...(entry?.status !== undefined && { status: entry.status }) };
};

function read(input: Readonly<Record<string, unknown>>): Outcome {
  if (!isJsonType(readTextInput(input, 'content_type'))) return createRejection('REQ_MEDIA_TYPE');
  const bytes = readHexInput(input, 'bytes');
  if (bytes.length > LIMITS.body) return createRejection('REQ_TOO_LARGE');
  try {
    return { ok: true, out: parseJson(bytes, LIMITS) };
  } catch (error) {
    if (error instanceof Fault) return createRejection(error.code);
    throw error;
  }
}

export const ops: Ops = { 'json.body': read };
