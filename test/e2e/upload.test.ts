/** Mode UPLOAD over real HTTP on both databases: what is stored, what is answered, and what a following statement gets. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { onBothDatabases, type TestKernel } from '../support/kernel.js';
import { formOf, GIF_BLACK, JPEG_BLUE, PDF, PNG_RED, WEBP_GREEN, type Part } from '../support/pictures.js';
import { filesBelow, until } from '../support/spool.js';

interface Stored {
  readonly storage_key: string;
  readonly url: string;
  readonly dominant_color: string | null;
  readonly file_size: number;
  readonly original_file_name: string;
  readonly new_file_name: string;
  readonly file_type: string;
  readonly extension: string;
}

const uploads = { max_file_uploads: 4, allowed_mimetypes: ['image/*'], upload_folder: 'gallery' };

const DEFINITIONS = [
  {
    _picture: {
      storage_key: { type: 'String', unique: true },
      url: { type: 'String' },
      title: { type: 'String' },
      dominant_color: { type: 'String' },
    },
  },
  { id: 'plain', resource: 'plain', actionables: [{ id: 1, mode: 'UPLOAD', uploads }] },
  {
    id: 'gallery',
    resource: 'gallery',
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads,
        payload_validation: [{ field: { title: { type: 'STRING', max_length: 20 } } }],
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: {
          query: 'INSERT INTO picture (storage_key, url, title, dominant_color) VALUES ($1, $2, $3, $4) RETURNING *',
          parameters: ['storage_key', 'url', 'title', 'dominant_color'],
          multi: true,
        },
      },
    ],
  },
];

const post = <T = readonly Stored[]>(kernel: TestKernel, path: string, parts: readonly Part[]) =>
  kernel.request<T>('POST', path, { body: formOf(parts) });

const png: Part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };

onBothDatabases('uploads', { files: { 'definitions/a.json': DEFINITIONS } }, (kernel) => {
  it('stores a file under a made-up name and answers everything about it', async () => {
    const { status, body, text } = await post(kernel(), '/plain', [png]);
    expect(status, text).to.equal(200);
    const [stored] = body;
    expect(stored).to.deep.include({
      dominant_color: '#ff0000',
      file_size: PNG_RED.length,
      original_file_name: 'red.png',
      file_type: 'image/png',
      extension: 'png',
    });
    console.log(stored);
  });

  it('goes through the files', async () => {
    const { status, text } = await post(kernel(), '/gallery', [png, { name: 'title', content: 'Red' }, png]);
    expect(status, text).to.equal(200);
    console.log(text);
  });
});
