/**
 * Reads a multipart form: text parts as the payload, flat and with own names only; files beside it, in the spool, until the
 * request is over. Every limit ends the reading with a refusal; nothing is cut silently.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import multer from 'multer';
import { Fault, fault } from '../contract/fault.js';
import type { FileLimits, Payload, UploadedFile } from '../contract/plan.js';
import { CLOSE, type BodyLimits } from './body.js';
import { boundaryOf, broken, fileName, partName, partText } from './boundary.js';
import { diskFault, openIntake, type FileIntake } from './file-intake.js';
import { addText, type TextPayload } from './payload.js';

export interface FormSettings {
  /** Null: a part with a file is refused. */
  readonly files: FileLimits | null;
  readonly limits: Pick<BodyLimits, 'body'> & { readonly parts: number; readonly field: number };
  /** Seconds that the sender may be silent. */
  readonly idle: number;
  /** Takes what has to be undone when the request is over. */
  readonly release: (work: () => void | Promise<void>) => void;
}

export interface Form {
  readonly payload: Payload;
  readonly files: readonly UploadedFile[];
}

/** `read`: the body, where a guard has read it already; otherwise it is taken from the request as it comes. */
export async function readForm(req: IncomingMessage, read: Buffer | null, settings: FormSettings): Promise<Form> {
  const boundary = boundaryOf(req.headers['content-type'] ?? '');
  const max = settings.limits.body + (settings.files === null ? 0 : settings.files.count * settings.files.bytes);
  if (Number(req.headers['content-length'] ?? 0) > max) throw fault('REQ_TOO_LARGE', { max }, CLOSE);
  const intake = settings.files === null ? null : await openIntake(settings.files);
  // A client may have left while the folder was looked for.
  if (read === null && req.destroyed) throw fault('REQ_ABORTED', {}, CLOSE);
  if (intake !== null) settings.release(() => intake.drop());
  try {
    const payload = await new FormReading(intake, settings).run(boundary, (parser, fail) =>
      read === null ? feed(req, parser, { max, idle: settings.idle, fail }) : supply(read, parser),
    );
    return { payload, files: (await intake?.files()) ?? [] };
  } catch (error) {
    await intake?.drop();
    throw error;
  }
}

/** A disk that is full shows first where a file is written, as the end of its stream. */
const asRefusal = (error: unknown): Fault =>
  error instanceof Fault ? error : (diskFault(error) ?? broken('it is not built as a form', error));

type Fail = (reason: Fault) => void;
/** The returned function stops it. */
type Feed = (parser: Writable, fail: Fail) => () => void;

const supply = (bytes: Buffer, parser: Writable): (() => void) => {
  parser.end(bytes);
  return () => undefined;
};

/** Passes the body on as fast as it is taken. */
function feed(
  req: IncomingMessage,
  parser: Writable,
  { max, idle, fail }: { readonly max: number; readonly idle: number; readonly fail: Fail },
): () => void {
  let size = 0;
  const timer = setTimeout(() => {
    // It is not the sender who is slow while the disk is waited for.
    if (req.isPaused()) timer.refresh();
    else fail(fault('REQ_SILENT', { seconds: idle }, CLOSE));
  }, idle * 1000);
  const onData = (chunk: Buffer): void => {
    timer.refresh();
    size += chunk.length;
    if (size > max) fail(fault('REQ_TOO_LARGE', { max }, CLOSE));
    else if (!parser.write(chunk)) req.pause();
  };
  const onEnd = (): void => {
    stop();
    parser.end();
  };
  const onGone = (): void => fail(fault('REQ_ABORTED', {}, CLOSE));
  const onDrain = (): void => void req.resume();
  const stop = (): void => {
    clearTimeout(timer);
    req.off('data', onData).off('end', onEnd).off('error', onGone).off('aborted', onGone).off('close', onGone);
    parser.off('drain', onDrain);
    // An answer that comes early must not be taken for the wish to hear more.
    if (!req.readableEnded) req.pause();
  };
  parser.on('drain', onDrain);
  req.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone).on('close', onGone);
  return stop;
}

/** What multer gives to whoever feeds its parser; its types do not know it yet. */
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

/** One form while it is read. */
class FormReading {
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
    // What multer takes for the request: it asks for headers, and the bytes go past it. Nothing is there to wait for.
    const nothing = (): null => null;
    const request = Object.assign(new EventEmitter(), { headers, readable: false, unpipe: nothing, resume: nothing });
    await new Promise<void>((resolve, reject) => {
      const fail: Fail = (reason) => {
        if (this.#failure !== null) return;
        this.#failure = reason;
        this.#stop();
        // Not while it is in the middle of a chunk. Files that it is writing end with it.
        process.nextTick(() => this.#parser?.destroy());
        reject(reason);
      };
      // What multer says after a failure of ours comes too late, or never.
      this.#reader(fail, feedInto)(request as never, {} as never, (error?: unknown) => {
        if (error === undefined || error === null) return resolve();
        fail(asRefusal(error));
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
        // The spool is emptied as a whole.
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
      fail(asRefusal(error));
    }
  }

  #listen(parser: Parser, fail: Fail): void {
    const { parts, field } = this.settings.limits;
    this.#parser = parser;
    // multer would build objects and arrays out of brackets in names.
    parser.removeAllListeners('field');
    // Before its own listeners: what a form is refused for is said in our words.
    parser.prependListener('field', (written, value, { valueTruncated }) =>
      this.#guarded(fail, () => {
        const name = partName(written);
        if (valueTruncated) throw fault('REQ_PART', { name, max: field }, CLOSE);
        addText(this.#payload, name, partText(name, value));
      }),
    );
    parser.prependListener('file', (written, stream, { filename }) => {
      stream.on('error', () => undefined);
      this.#guarded(fail, () => partName(written));
      // A file input that nobody filled in has no name and no bytes.
      if (filename !== undefined && filename !== '') return;
      stream.on('data', () => this.#guarded(fail, () => fail(broken('a file has no file name'))));
    });
    parser.prependListener('partsLimit', () => fail(fault('REQ_TOO_COMPLEX', { what: 'parts', max: parts }, CLOSE)));
    parser.prependListener('error', (error) => fail(asRefusal(error)));
  }

  #take(file: { stream: Readable }, fail: Fail, done: (error?: unknown) => void): void {
    const { fieldname, originalname, mimetype } = file as unknown as Record<string, string>;
    const { stream } = file;
    if (this.intake === null) throw fault('REQ_NO_FILES', {}, CLOSE);
    const { bytes: max } = this.intake.limits;
    const name = partName(fieldname);
    stream.on('limit', () => fail(fault('REQ_PART', { name, max }, CLOSE)));
    this.intake.take(
      stream,
      { field: name, originalName: fileName(originalname ?? ''), type: mimetype ?? '' },
      (error) => {
        if (error !== null) fail(error);
        done(error);
      },
    );
  }
}
