/** Parses multipart forms: text parts become a flat payload, files are spooled. Exceeding a limit rejects the request. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import multer from 'multer';
import { Fault, createFault } from '../../contract/fault.js';
import type { FileLimits, Payload, UploadedFile } from '../../contract/plan.js';
import { CLOSE, type BodyLimits } from './body.js';
import { parseBoundary, createFormFault, parseFileName, parsePartName, checkPartText } from './boundary.js';
import { toDiskFault, openIntake, type FileIntake } from './file-intake.js';
import { addText, type TextPayload } from './payload.js';

export interface FormSettings {
  /** Null: parts with files are rejected. */
  readonly files: FileLimits | null;
  readonly limits: Pick<BodyLimits, 'body'> & { readonly parts: number; readonly field: number };
  /** Seconds without data before the request is rejected. */
  readonly idle: number;
  readonly onFinish: (work: () => void | Promise<void>) => void;
}

export interface Form {
  readonly payload: Payload;
  readonly files: readonly UploadedFile[];
}

/** `read`: the body, if a guard has read it already. */
export async function readForm(req: IncomingMessage, read: Buffer | null, settings: FormSettings): Promise<Form> {
  const boundary = parseBoundary(req.headers['content-type'] ?? '');
  const max = settings.limits.body + (settings.files === null ? 0 : settings.files.count * settings.files.bytes);
  if (Number(req.headers['content-length'] ?? 0) > max) throw createFault('REQ_TOO_LARGE', { max }, CLOSE);
  const intake = settings.files === null ? null : await openIntake(settings.files);
  // The client may have disconnected meanwhile.
  if (read === null && req.destroyed) throw createFault('REQ_ABORTED', {}, CLOSE);
  if (intake !== null) settings.onFinish(() => intake.dispose());
  try {
    const payload = await new FormReader(intake, settings).run(boundary, (parser, fail) =>
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

const feedBytes = (bytes: Buffer, parser: Writable): (() => void) => {
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
    // The body is paused by a slow disk, not by a silent client.
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
    // After an early response the rest of the body must not be read.
    if (!req.readableEnded) req.pause();
  };
  parser.on('drain', onDrain);
  req.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone).on('close', onGone);
  return stop;
}

/** multer's types do not declare the parser passed to `streamHandler`. */
type Parser = Writable & {
  prependListener(event: 'field', listener: (name: string | undefined, value: string, info: FieldInfo) => void): Parser;
  prependListener(
    event: 'file',
    listener: (name: string | undefined, file: Readable, info: { filename?: string }) => void,
  ): Parser;
  prependListener(event: 'partsLimit', listener: () => void): Parser;
};
interface FieldInfo {
  readonly valueTruncated: boolean;
}

class FormReader {
  readonly #payload = Object.create(null) as TextPayload;
  #failure: Fault | null = null;
  #parser: Parser | null = null;
  #stop = (): void => undefined;

  constructor(
    private readonly intake: FileIntake | null,
    private readonly settings: FormSettings,
  ) {}

  async run(boundary: string, feedInto: Feed): Promise<Payload> {
    const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"`, 'content-length': '1' };
    // multer reads only the headers of this request; the bytes are fed to the parser directly.
    const returnNull = (): null => null;
    const request = Object.assign(new EventEmitter(), {
      headers,
      readable: false,
      unpipe: returnNull,
      resume: returnNull,
    });
    await new Promise<void>((resolve, reject) => {
      const fail: Fail = (reason) => {
        if (this.#failure !== null) return;
        this.#failure = reason;
        this.#stop();
        // Not in the middle of a chunk. This also ends the streams of its files.
        process.nextTick(() => this.#parser?.destroy());
        reject(reason);
      };
      // After a failure, multer's callback is ignored.
      this.#reader(fail, feedInto)(request as never, {} as never, (error?: unknown) => {
        if (error === undefined || error === null) return resolve();
        fail(toFormFault(error));
      });
    });
    return this.#payload;
  }

  #reader(fail: Fail, feedInto: Feed) {
    const { limits } = this.settings;
    const options = {
      storage: {
        _handleFile: (_req: unknown, file: { stream: Readable }, done: (error?: unknown) => void): void =>
          this.#guarded(fail, () => this.#take(file, fail, done)),
        // The intake removes its files.
        _removeFile: (_req: unknown, _file: unknown, done: (error: Error | null) => void): void => done(null),
      },
      limits: {
        parts: limits.parts,
        fieldSize: limits.field,
        ...(this.settings.files !== null && { fileSize: this.settings.files.bytes }),
      },
      defParamCharset: 'utf8',
      streamHandler: (_request: unknown, parser: Parser): void => {
        this.#listen(parser, fail);
        this.#stop = feedInto(parser, fail);
        if (this.#failure !== null) this.#stop();
      },
    };
    return multer(options).any();
  }

  #guarded(fail: Fail, work: () => void): void {
    if (this.#failure !== null) return;
    try {
      work();
    } catch (error) {
      fail(toFormFault(error));
    }
  }

  #listen(parser: Parser, fail: Fail): void {
    const { parts, field } = this.settings.limits;
    this.#parser = parser;
    // multer would build objects from brackets in names.
    parser.removeAllListeners('field');
    // These run before multer's own listeners, so that rejections have this module's codes.
    parser.prependListener('field', (written, value, { valueTruncated }) =>
      this.#guarded(fail, () => {
        const name = parsePartName(written);
        if (valueTruncated) throw createFault('REQ_PART', { name, max: field }, CLOSE);
        addText(this.#payload, name, checkPartText(name, value));
      }),
    );
    parser.prependListener('file', (written, stream, { filename }) => {
      stream.on('error', () => undefined);
      this.#guarded(fail, () => parsePartName(written));
      // An empty file input has no name and no bytes.
      if (filename !== undefined && filename !== '') return;
      stream.on('data', () => this.#guarded(fail, () => fail(createFormFault('a file has no file name'))));
    });
    parser.prependListener('partsLimit', () =>
      fail(createFault('REQ_TOO_COMPLEX', { what: 'parts', max: parts }, CLOSE)),
    );
    parser.prependListener('error', (error) => fail(toFormFault(error)));
  }

  #take(file: { stream: Readable }, fail: Fail, done: (error?: unknown) => void): void {
    const { fieldname, originalname, mimetype } = file as unknown as Record<string, string>;
    const { stream } = file;
    if (this.intake === null) throw createFault('REQ_NO_FILES', {}, CLOSE);
    const { bytes: max } = this.intake.limits;
    const name = parsePartName(fieldname);
    stream.on('limit', () => fail(createFault('REQ_PART', { name, max }, CLOSE)));
    this.intake.store(
      stream,
      { field: name, originalName: parseFileName(originalname ?? ''), type: mimetype ?? '' },
      (error) => {
        if (error !== null) fail(error);
        done(error);
      },
    );
  }
}
