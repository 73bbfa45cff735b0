/** Parses multipart forms: text parts become a flat payload, files are spooled, within limits. */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import {
  addText,
  type BodyInput,
  type BodyLimits,
  type ReadBody,
  type TextPayload,
} from '../../../contract/body-format.js';
import { CLOSE, Fault, createFault } from '../../../contract/fault.js';
import type { Payload } from '../../../contract/plan.js';
import { parseBoundary, createFormFault, parseFileName, parsePartName, checkPartText } from './boundary.js';
import { toDiskFault, openIntake, type FileIntake } from './file-intake.js';

export async function readForm(req: IncomingMessage, settings: BodyInput): Promise<ReadBody> {
  const { bytes: read } = settings;
  const boundary = parseBoundary(req.headers['content-type'] ?? '');
  const max = settings.limits.body + (settings.files === null ? 0 : settings.files.count * settings.files.bytes);
  if (Number(req.headers['content-length'] ?? 0) > max) throw createFault('REQ_TOO_LARGE', { max }, CLOSE);
  const intake = settings.files === null ? null : await openIntake(settings.files);
  // The client may have disconnected meanwhile.
  if (read === null && req.destroyed) throw createFault('REQ_ABORTED', {}, CLOSE);
  if (intake !== null) settings.onFinish(() => intake.dispose());
  try {
    const payload = await readParts(boundary, intake, settings.limits, (parser, fail) =>
      read === null ? feedRequest(req, parser, { max, idle: settings.idle, fail }) : feedBytes(read, parser),
    );
    return { payload, files: (await intake?.files()) ?? [] };
  } catch (error) {
    await intake?.dispose();
    throw error;
  }
}

/** A full disk surfaces first as a stream error. */
const toFormFault = (error: unknown): Fault =>
  error instanceof Fault ? error : (toDiskFault(error) ?? createFormFault('it is not built as a form', error));

type Fail = (reason: Fault) => void;
/** The returned function stops the feed. */
type Feed = (parser: Writable, fail: Fail) => () => void;

const feedBytes = (bytes: Uint8Array, parser: Writable): (() => void) => {
  parser.end(bytes);
  return () => undefined;
};

function feedRequest(
  req: IncomingMessage,
  parser: Writable,
  { max, idle, fail }: { readonly max: number; readonly idle: number; readonly fail: Fail },
): () => void {
  let size = 0;
  const timer = setTimeout(() => {
    // A slow disk paused the body, not a silent client.
    if (req.isPaused()) timer.refresh();
    else fail(createFault('REQ_SILENT', { seconds: idle }, CLOSE));
  }, idle * 1000);
  const onData = (chunk: Buffer): void => {
    timer.refresh();
    size += chunk.length;
    if (size > max) fail(createFault('REQ_TOO_LARGE', { max }, CLOSE));
    else if (!parser.write(chunk)) req.pause();
  };
  const onEnd = (): void => {
    stop();
    parser.end();
  };
  const onGone = (): void => fail(createFault('REQ_ABORTED', {}, CLOSE));
  const onDrain = (): void => void req.resume();
  const stop = (): void => {
    clearTimeout(timer);
    req.off('data', onData).off('end', onEnd).off('error', onGone).off('aborted', onGone).off('close', onGone);
    parser.off('drain', onDrain);
    // After an early response the rest is not read.
    if (!req.readableEnded) req.pause();
  };
  parser.on('drain', onDrain);
  req.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone).on('close', onGone);
  return stop;
}

/** Resolves when every part has been read; files may still be written. */
function readParts(boundary: string, intake: FileIntake | null, limits: BodyLimits, feedInto: Feed): Promise<Payload> {
  const payload = Object.create(null) as TextPayload;
  const parser = createParser(boundary, intake, limits);
  return new Promise((resolve, reject) => {
    let failed = false;
    let stop = (): void => undefined;
    const fail: Fail = (reason) => {
      if (failed) return;
      failed = true;
      stop();
      // Not within a chunk. This also ends its files.
      process.nextTick(() => parser.destroy());
      reject(reason);
    };
    const runGuarded = (work: () => void): void => {
      if (failed) return;
      try {
        work();
      } catch (error) {
        fail(toFormFault(error));
      }
    };
    parser.on('field', (written: string | undefined, value, { valueTruncated }) =>
      runGuarded(() => {
        const name = parsePartName(written);
        if (valueTruncated) throw createFault('REQ_PART', { name, max: limits.field }, CLOSE);
        addText(payload, name, checkPartText(name, value));
      }),
    );
    parser.on('file', (written: string | undefined, stream, { filename, mimeType }: Partial<busboy.FileInfo>) => {
      stream.on('error', () => undefined);
      runGuarded(() => {
        const field = parsePartName(written);
        // An empty file input has no name and no bytes.
        if (filename === undefined || filename === '')
          return void stream.on('data', () => fail(createFormFault('a file has no file name')));
        if (intake === null) throw createFault('REQ_NO_FILES', {}, CLOSE);
        const { bytes: max } = intake.limits;
        stream.on('limit', () => fail(createFault('REQ_PART', { name: field, max }, CLOSE)));
        intake.store(stream, { field, originalName: parseFileName(filename), type: mimeType ?? '' }).catch(fail);
      });
    });
    parser.on('partsLimit', () => fail(createFault('REQ_TOO_COMPLEX', { what: 'parts', max: limits.parts }, CLOSE)));
    parser.on('error', (error) => fail(toFormFault(error)));
    parser.on('close', () => resolve(payload));
    stop = feedInto(parser, fail);
    if (failed) stop();
  });
}

/** busboy reports a limit that is reached, not exceeded. */
const createParser = (boundary: string, intake: FileIntake | null, { parts, field }: BodyLimits): Busboy =>
  busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      parts: parts + 1,
      fieldSize: field + 1,
      ...(intake !== null && { fileSize: intake.limits.bytes + 1 }),
    },
    defParamCharset: 'utf8',
  });
