/** Accepted files: the bytes, the declared type and the list of the definition must match. */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import {
  createFormData,
  GIF_BLACK,
  JPEG_BLUE,
  PDF,
  PNG_RED,
  createRawForm,
  FORM_TYPE,
  SVG,
} from '../support/pictures.js';
import { listFilesBelow, waitUntilNoTempFiles } from '../support/temp-files.js';

const taking = (id: string, allowed?: readonly string[]) => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'UPLOAD', uploads: { ...(allowed && { allowed_mimetypes: allowed }) } }],
});

const RESOURCES = [
  taking('images', ['image/*']),
  taking('png', ['IMAGE/PNG']),
  taking('any'),
  taking('all', ['*/*']),
  taking('svg', ['image/svg+xml']),
  taking('html', ['text/html']),
  taking('texts', ['text/*']),
  taking('json', ['application/json']),
  taking('audio', ['audio/*']),
  taking('models', ['model/x-own', 'application/octet-stream']),
];

const utf16 = (text: string): Buffer => Buffer.from(`\u{feff}${text}`, 'utf16le');
const HTML = Buffer.from('<!doctype html><script>alert(1)</script>');
const BYTES = Buffer.from([0x01, 0x00, 0xfe, 0xff, 0x80, 0x00]);

/** File, declared type, resource, and the stored type; null if it is rejected. */
const CASES: readonly (readonly [string, Buffer, string, string, string | null])[] = [
  ['a picture', PNG_RED, 'image/png', 'images', 'image/png'],
  ['a picture of an unlisted type', GIF_BLACK, 'image/gif', 'png', null],
  ['a type in upper case', PNG_RED, 'Image/PNG', 'png', 'image/png'],
  ['a type with parameters', PNG_RED, 'image/png; q=1', 'png', 'image/png'],
  ['another name of the same type', JPEG_BLUE, 'image/jpg', 'images', 'image/jpeg'],
  ['a picture without a declared type, which is text by the standard', PNG_RED, '', 'images', null],
  ['a declared type without information', PNG_RED, 'application/octet-stream', 'images', 'image/png'],
  ['a picture declared as another', PNG_RED, 'image/jpeg', 'images', null],
  ['a picture declared as text', PNG_RED, 'text/plain', 'all', null],
  ['a document declared as a picture', PDF, 'image/png', 'images', null],
  ['a document', PDF, 'application/pdf', 'any', 'application/pdf'],
  ['text declared as a picture', Buffer.from('hello'), 'image/png', 'images', null],
  ['bytes declared as a picture', BYTES, 'image/png', 'all', null],
  ['a truncated signature of a picture', PNG_RED.subarray(0, 4), 'image/png', 'images', null],
  ['SVG under a wildcard', SVG, 'image/svg+xml', 'images', null],
  ['SVG under every type', SVG, 'image/svg+xml', 'all', null],
  ['SVG without a list', SVG, 'image/svg+xml', 'any', null],
  ['SVG that is listed', SVG, 'image/svg+xml', 'svg', 'image/svg+xml'],
  [
    'SVG with a prologue that is listed',
    Buffer.from(`<?xml version="1.0"?>${SVG.toString()}`),
    'image/svg+xml',
    'svg',
    'image/svg+xml',
  ],
  ['SVG declared as a picture', SVG, 'image/png', 'images', null],
  ['HTML that is listed', HTML, 'text/html', 'html', 'text/html'],
  ['HTML under text/*', HTML, 'text/html', 'texts', null],
  ['HTML declared as plain text', HTML, 'text/plain', 'texts', null],
  ['HTML declared as nothing', HTML, 'application/octet-stream', 'all', null],
  ['HTML behind blanks and a mark', Buffer.concat([Buffer.from('\u{feff} \n\t'), HTML]), 'text/plain', 'texts', null],
  ['HTML declared as HTML and as a picture', HTML, 'text/html;image/png', 'images', null],
  ['plain text', Buffer.from('a < b\nGrüße'), 'text/plain', 'texts', 'text/plain'],
  ['comma-separated text', Buffer.from('a,b\n1,2'), 'text/csv', 'texts', 'text/csv'],
  ['text without a declared type', Buffer.from('hello'), '', 'texts', 'text/plain'],
  ['text with a NUL', Buffer.from('a\0b'), 'text/plain', 'texts', null],
  ['text that is not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'text/plain', 'texts', null],
  ['text in UTF-16 declared as audio', utf16('Guten Tag'), 'audio/mpeg', 'all', null],
  ['text in UTF-16 without a declared type', utf16('Guten Tag'), 'application/octet-stream', 'audio', null],
  [
    'long text that is not UTF-8 at its end',
    Buffer.concat([Buffer.alloc(9000, 0x61), Buffer.from([0xc3])]),
    'text/plain',
    'texts',
    null,
  ],
  ['long text', Buffer.alloc(9000, 'é'), 'text/plain', 'texts', 'text/plain'],
  ['JSON', Buffer.from('{"a":1}'), 'application/json', 'json', 'application/json'],
  ['script without a list', Buffer.from('alert(1)'), 'text/javascript', 'any', null],
  ['an empty file', Buffer.alloc(0), 'text/plain', 'texts', 'text/plain'],
  ['an empty file, declared as a picture', Buffer.alloc(0), 'image/png', 'images', null],
  ['bytes of a listed type without a signature', BYTES, 'model/x-own', 'models', 'model/x-own'],
  ['bytes of an unlisted type without a signature', BYTES, 'model/obj', 'models', null],
  ['bytes without a type', BYTES, 'application/octet-stream', 'models', 'application/octet-stream'],
];

describe('types of uploaded files', () => {
  let kernel!: TestKernel;
  before(async () => {
    kernel = await startKernel({ files: { 'definitions/a.json': RESOURCES }, validated: true });
  });
  after(() => kernel.close());
  afterEach(() => waitUntilNoTempFiles());

  for (const [title, content, type, resource, stored] of CASES) {
    it(`${stored === null ? 'reject' : 'accept'} ${title}`, async () => {
      const before = await listFilesBelow(`${kernel.project.folder}/.lintel/files/open`);
      const headers = `content-disposition: form-data; name="photo"; filename="a.png"${type === '' ? '' : `\r\ncontent-type: ${type}`}`;
      const answer = await kernel.post(`/${resource}`, createRawForm([{ headers, content }]), {
        headers: { 'content-type': FORM_TYPE },
      });
      if (stored === null) {
        expect(answer.status, answer.text).to.equal(415);
        expect(answer.body).to.deep.include({ code: 'UPL_TYPE_REFUSED' });
        expect(answer.text).to.contain('"pointer":"/photo"');
        expect(await listFilesBelow(`${kernel.project.folder}/.lintel/files/open`)).to.deep.equal(before);
      } else {
        expect(answer.status, answer.text).to.equal(200);
        expect((answer.body as unknown as readonly object[])[0]).to.deep.include({ file_type: stored });
      }
    });
  }

  it('name a part of any name in the pointer', async () => {
    const { text } = await kernel.request('POST', '/png', {
      body: createFormData([{ name: 'a/b~c', content: PDF, file: 'a.pdf', type: 'application/pdf' }]),
    });
    expect(text).to.contain('"pointer":"/a~1b~0c"');
  });
});
