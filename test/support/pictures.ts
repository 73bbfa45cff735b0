/**
 * Files for uploads: small pictures created by the same library, and bytes of other types. Nothing is read from disk.
 */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

const flat = (red: number, green: number, blue: number, edge = 16) =>
  sharp({ create: { width: edge, height: edge, channels: 3, background: { r: red, g: green, b: blue } } });

export const PNG_RED = await flat(255, 0, 0).png().toBuffer();
export const JPEG_BLUE = await flat(0, 0, 255).jpeg({ quality: 95 }).toBuffer();
export const WEBP_GREEN = await flat(0, 255, 0).webp({ lossless: true }).toBuffer();
export const GIF_BLACK = await flat(0, 0, 0).gif().toBuffer();
export { PDF, SVG } from './file-bytes.js';

/** A PNG with a head of this size and hardly any data: small on the wire, endless in memory. */
export function createImageBomb(width: number, height: number): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const createChunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([number(data.length), body, number(crc32(body))]);
  };
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const size = Buffer.concat([number(width), number(height), Buffer.from([8, 2, 0, 0, 0])]);
  const data = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([
    mark,
    createChunk('IHDR', size),
    createChunk('IDAT', data),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

export interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  readonly file?: string;
  readonly type?: string;
}

/** A form with its parts in this order; a part with `file` is a file. */
export function createFormData(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const { name, content, file, type = '' } of parts) {
    if (file === undefined) form.append(name, content.toString());
    else form.append(name, new Blob([typeof content === 'string' ? content : new Uint8Array(content)], { type }), file);
  }
  return form;
}

export const BOUNDARY = 'x-boundary-of-tests';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** The same as bytes, for forms that `FormData` would correct or reject. `headers` of a part are written unchanged. */
export function createRawForm(
  parts: readonly { readonly headers: string; readonly content: string | Buffer }[],
  boundary = BOUNDARY,
): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}
