/** `multipart.parse`: the result of the HTTP layer for a form, however its bytes are chunked. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { isObject } from '../../contract/json.js';
import { Fault } from '../../contract/fault.js';
import { readForm } from '../../plugins/body-formats/multipart-form/form.js';
import { REQUEST_CODES } from '../../language/problems/request-codes.js';
import { readHexInput, readTextInput, type Ops, type Outcome } from './ops.js';

type Input = Readonly<Record<string, unknown>>;

/** Chunk sizes: as given, all at once, or byte by byte. */
function splitChunks(body: Buffer, chunks: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of chunks) pieces.push(body.subarray(at, (at += size)));
  return [...pieces, body.subarray(at)].filter((piece) => piece.length > 0);
}

async function parse(input: Input, pieces: readonly Buffer[]): Promise<Outcome> {
  const limits = isObject(input['limits']) ? (input['limits'] as Readonly<Record<string, number>>) : {};
  const { max_parts: parts = 20, max_fields: fields = 20, max_field_size: field = 65_536 } = limits;
  const { max_files: count = 5, max_file_size: bytes = 10_485_760 } = limits;
  const source = new PassThrough();
  const req = Object.assign(source, { headers: { 'content-type': readTextInput(input, 'content_type') } });
  const held: (() => void | Promise<void>)[] = [];
  const reading = readForm(req as unknown as IncomingMessage, {
    bytes: null,
    files: { count, bytes },
    limits: { body: 1_048_576, parts: Math.min(parts, fields), field },
    idle: 5,
    onFinish: (work) => held.push(work),
  });
  for (const piece of pieces) source.write(piece);
  source.end();
  try {
    const { payload, files } = await reading;
    const texts = Object.entries(payload).flatMap(([name, value]) =>
      [value].flat().map((one) => ({ type: 'field', name, value: one })),
    );
    const stored = files.map(async ({ field: name, originalName: filename, declaredType: mime, size, path }) => {
      const sha256 = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      return { type: 'file', name, filename, mime, size, sha256 };
    });
    return { ok: true, out: [...texts, ...(await Promise.all(stored))] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const entry = Object.entries(REQUEST_CODES).find(([name]) => name === error.code)?.[1];
    return { ok: false, error: error.code, ...(entry?.status !== undefined && { status: entry.status }) };
  } finally {
    for (const work of held) await work();
  }
}

/** The form is parsed in the given chunks, whole, and byte by byte: three different results are a separate error. */
async function read(input: Input): Promise<Outcome> {
  const body = readHexInput(input, 'body');
  const chunks = Array.isArray(input['chunks']) ? (input['chunks'] as readonly number[]) : [];
  const first = await parse(input, splitChunks(body, chunks));
  const singly = new Array<number>(body.length).fill(1);
  for (const other of [await parse(input, splitChunks(body, [])), await parse(input, splitChunks(body, singly))]) {
    if (JSON.stringify(other) !== JSON.stringify(first)) return { ok: false, error: 'depends on how the bytes arrive' };
  }
  return first;
}

export const ops: Ops = { 'multipart.parse': read };
