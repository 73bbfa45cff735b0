/** Folders of uploads in definitions, the keys in them, and the OpenAPI description of an upload. */
import { expect } from 'chai';
import type { ApiPlace } from '../../../contract/api.js';
import { BootError } from '../../../contract/boot-error.js';
import type { Json } from '../../../contract/json.js';
import { describeUploadApi as describeUpload } from '../../../plugins/modes/upload/api.light.js';
import {
  isColorUsed,
  compileFolder,
  isInside,
  createStorageKey,
  createFileName,
} from '../../../plugins/modes/upload/runtime.js';
import { findFolderFlaw } from '../../../plugins/modes/upload/folder.light.js';
import { catchThrownFault, createPayloadFrame } from '../../support/frame-tools.js';

const levels = (count: number): string => Array.from({ length: count }, (_, i) => `l${i}`).join('/');

describe('folder of an upload', () => {
  it('has at most 16 levels of 60 characters', () => {
    expect(findFolderFlaw(levels(16))).to.equal(null);
    expect(findFolderFlaw(levels(17))).to.equal('it has more than 16 levels');
    expect(findFolderFlaw(`a/${'b'.repeat(60)}`)).to.equal(null);
    expect(findFolderFlaw(`a/${'b'.repeat(61)}`)).to.equal('a level is longer than 60 characters');
  });

  it('is relative and stays inside its root', () => {
    for (const folder of ['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a/.', 'a b', 'ä', 'a\\b', 'a%2fb'])
      expect(findFolderFlaw(folder), folder).to.be.a('string');
    for (const folder of ['a', 'a/b_c-D9', '$TOKEN.id/a']) expect(findFolderFlaw(folder), folder).to.equal(null);
  });
});

describe('folder of an upload in a request', () => {
  const compile = (folder: string | null, environment: unknown = 'env') =>
    compileFolder(folder, (accessor) => (frame) => {
      const [root, name = ''] = accessor.split('.');
      return root === '$ENV' ? environment : frame.payload[name];
    });
  const read = (folder: string | null, id?: unknown): string => compile(folder)(createPayloadFrame({ id }));

  it('is built from literals, the environment, and values that are plain names', () => {
    expect(read(null)).to.equal('');
    expect(read('a/b')).to.equal('a/b');
    expect(read('$ENV.A/x-$PAYLOAD.id', 7)).to.equal('env/x-7');
    for (const id of ['a', 'A_b-9', 'x'.repeat(64), 0, -5]) expect(read('u/$PAYLOAD.id', id)).to.equal(`u/${id}`);
  });

  for (const id of [
    '',
    '.',
    '..',
    'a/b',
    'a.b',
    'a\n',
    'é',
    ' ',
    'x'.repeat(65),
    1.5,
    1e21,
    true,
    null,
    undefined,
    {},
    ['a'],
  ])
    it(`rejects ${JSON.stringify(id)?.slice(0, 20)} as a value`, () => {
      expect(catchThrownFault(() => read('u/$PAYLOAD.id', id)).code).to.equal('UPL_FOLDER_VALUE');
    });

  it('prevents the start if it, or a value of the environment, is invalid', () => {
    for (const folder of ['/a', 'a/../b', '']) expect(() => compile(folder), folder).to.throw(BootError, 'UPL_FOLDER');
    for (const value of ['', '..', 'a/b'])
      expect(() => compile('$ENV.A/x', value)).to.throw(BootError, 'the value of $ENV.A is no plain name');
  });
});

describe('keys of uploaded files', () => {
  it('are new names with the extension of their bytes', () => {
    expect(createFileName('png')).to.match(/^[0-9a-f-]{36}\.png$/);
    expect(createFileName('png')).not.to.equal(createFileName('png'));
    for (const extension of ['a'.repeat(16), '7z'])
      expect(createFileName(extension)).to.match(new RegExp(`\\.${extension}$`));
    for (const extension of ['', 'PNG', 'a.b', 'a/b', 'a'.repeat(17), 'x\n'])
      expect(createFileName(extension)).to.match(/\.bin$/);
  });

  it('are inside their folder, or at the top', () => {
    expect(createStorageKey('', 'a.png')).to.equal('a.png');
    expect(createStorageKey('u/1', 'a.png')).to.equal('u/1/a.png');
    for (const [folder, name] of [
      ['..', 'a'],
      ['u', '../a'],
      ['u/', 'a'],
      ['u', 'a.b.c'],
      [levels(17), 'a'],
    ] as const)
      expect(catchThrownFault(() => createStorageKey(folder, name)).code).to.equal('UPL_FOLDER_VALUE');
  });

  it('are inside a folder level by level', () => {
    for (const key of ['u/1/a.png', 'u/1/b/c']) expect(isInside('u/1', key), key).to.equal(true);
    for (const key of ['u/12/a.png', 'u/1', 'u/1/', 'u/1/../2', 'x/u/1/a', 'U/1/a', 'u/1/a.b.c', 7, null, ['u/1/a']])
      expect(isInside('u/1', key), String(key)).to.equal(false);
  });
});

describe('colour of an upload', () => {
  const isColorRequested = (action: object, root: object): boolean =>
    isColorUsed(action as Record<string, Json>, root as Record<string, Json>);

  it('is computed unless lists of names omit it everywhere', () => {
    expect(isColorRequested({}, {})).to.equal(true);
    expect(isColorRequested({ returnables: ['url'] }, {})).to.equal(false);
    expect(isColorRequested({}, { returnables: ['url'] })).to.equal(false);
    expect(isColorRequested({ returnables: ['url', 'dominant_color'] }, {})).to.equal(true);
    expect(isColorRequested({}, { returnables: ['x.dominant_color'] })).to.equal(true);
    expect(isColorRequested({ returnables: 'url' }, {})).to.equal(true);
  });

  it('is computed if another place reads it, or the result as a whole', () => {
    const root = (inside: Json): object => ({ returnables: ['url'], actionables: [{ a: [{ b: inside }] }] });
    for (const text of ['self_', '$PAYLOAD.dominant_color', 'dominant_color'])
      expect(isColorRequested({}, root(text))).to.equal(true);
    for (const other of ['self', 'xself_', 'dominant', 5, null, true])
      expect(isColorRequested({}, root(other))).to.equal(false);
  });
});

describe('OpenAPI description of an upload', () => {
  const describeUploads = (uploads: Json): ReturnType<typeof describeUpload> =>
    describeUpload({ value: { uploads } } as unknown as ApiPlace);
  const applyUploadChange = (uploads: Json): Json =>
    describeUploads(uploads).changes?.[0]?.change([], undefined as never) as unknown as Json;

  it('contains the number, size and types of files', () => {
    const doc = 'Every part with a file counts, whatever its name.';
    expect(describeUploads({}).files).to.deep.equal({
      files: { doc: `1 to 5 files of at most 10485760 bytes each. ${doc}`, most: 5, bytes: 10_485_760 },
    });
    const one = { max_file_uploads: 1, max_upload_file_size: 9, allowed_mimetypes: ['image/*'] };
    expect(describeUploads(one).files).to.deep.equal({
      files: { doc: `One file of at most 9 bytes. ${doc}`, most: 1, bytes: 9, types: ['image/*'] },
    });
    expect(describeUploads({ max_file_uploads: 2 }).files?.['files']?.doc).to.match(/^1 to 2 files .* bytes each\./);
  });

  it('contains what is stored of each file, within the bounds', () => {
    const form = JSON.stringify(applyUploadChange({ max_file_uploads: 2, max_upload_file_size: 9 }));
    expect(form).to.contain('"file_size":{"type":"integer","minimum":0,"maximum":9}');
    expect(form).to.contain('"minItems":1,"maxItems":2');
    expect(form).to.contain('"storage_key":{"type":"string","maxLength":512}');
    expect(form).to.contain('"dominant_color":{"type":["string","null"],"pattern":"^#[0-9a-f]{6}$"}');
    for (const name of ['url', 'original_file_name', 'new_file_name', 'file_type', 'extension'])
      expect(form).to.contain(`"${name}":{"type":"string"`);
  });

  it('contains its rejections: a value of the folder only if a request sets it', () => {
    expect(describeUploads({}).refuses).to.deep.equal(['UPL_NO_FILE', 'UPL_TYPE_REFUSED']);
    expect(describeUploads({ upload_folder: 'a/$ENV.B' }).refuses).to.deep.equal(['UPL_NO_FILE', 'UPL_TYPE_REFUSED']);
    expect(describeUploads({ upload_folder: 'a/$PAYLOAD.b' }).refuses).to.include('UPL_FOLDER_VALUE');
    expect(describeUploads({ upload_folder: '$PAYLOAD.b', delete_files: true }).refuses).to.deep.equal([
      'UPL_KEY',
      'UPL_FOLDER_VALUE',
    ]);
    expect(describeUploads({ upload_folder: 'a', delete_files: true }).refuses).to.deep.equal(['UPL_KEY']);
  });

  it('contains the list of keys for removal', () => {
    const { body } = describeUploads({ delete_files: true });
    expect(body).to.deep.include({ type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 1000 });
    const form = JSON.stringify(applyUploadChange({ delete_files: true }));
    for (const part of ['"deleted":{"type":"boolean","const":true}', '"maxItems":1000', '"maxLength":512'])
      expect(form).to.contain(part);
    expect(describeUploads({ delete_files: 'true' }).body).to.equal(undefined);
  });
});
