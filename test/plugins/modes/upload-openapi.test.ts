/** OpenAPI description of an upload and of the removal of files: parts of the form, bounds, and rejection codes. */
import { expect } from 'chai';
import type { ApiPlace } from '../../../contract/api.js';
import type { Json } from '../../../contract/json.js';
import { describeUploadApi as describeUpload } from '../../../plugins/modes/upload/api.light.js';

const describeUploads = (uploads: Json): ReturnType<typeof describeUpload> =>
  describeUpload({ value: { uploads } } as unknown as ApiPlace);
/** The changed result. */
const applyChanges = (uploads: Json): unknown =>
  (describeUploads(uploads).changes ?? []).map(({ change }) => change([], {} as never));

describe('upload in the OpenAPI document', () => {
  const KEY = { type: 'string', maxLength: 512 };
  const NONE = ['UPL_NO_FILE', 'UPL_TYPE_REFUSED'];

  it('has the number and size of files of the definition, by default five of ten megabytes', () => {
    const doc = (first: string, bytes: number, each = ' each'): string =>
      `${first} of at most ${bytes} bytes${each}. Every part with a file counts, whatever its name.`;
    expect(describeUploads({}).files).to.deep.equal({
      files: { doc: doc('1 to 5 files', 10_485_760), most: 5, bytes: 10_485_760 },
    });
    expect(
      describeUploads({ max_file_uploads: 1, max_upload_file_size: 9, allowed_mimetypes: ['image/*'] }).files,
    ).to.deep.equal({
      files: { doc: doc('One file', 9, ''), most: 1, bytes: 9, types: ['image/*'] },
    });
    expect(describeUploads({ max_file_uploads: 2, max_upload_file_size: '9' }).files?.['files']?.doc).to.equal(
      doc('1 to 2 files', 10_485_760),
    );
    expect(describeUploads('x').files?.['files']?.most).to.equal(5);
  });

  it('returns a list of stored files, within the bounds of the files', () => {
    const [[list] = []] = applyChanges({ max_file_uploads: 3, max_upload_file_size: 9 }) as Record<string, Json>[][];
    expect(list).to.include({ type: 'array', minItems: 1, maxItems: 3 });
    const { properties, required } = list?.['items'] as { properties: Record<string, Json>; required: string[] };
    expect(properties).to.deep.equal({
      storage_key: KEY,
      url: { type: 'string', format: 'uri-reference' },
      dominant_color: { type: ['string', 'null'], pattern: '^#[0-9a-f]{6}$' },
      file_size: { type: 'integer', minimum: 0, maximum: 9 },
      original_file_name: { type: 'string' },
      new_file_name: { type: 'string' },
      file_type: { type: 'string' },
      extension: { type: 'string' },
    });
    expect(required).to.have.members(Object.keys(properties));
  });

  it('accepts a list of keys for removal, and returns which are removed', () => {
    const part = describeUploads({ delete_files: true });
    expect(part.body).to.deep.include({ type: 'array', items: KEY, maxItems: 1000 });
    expect([part.files, part.refuses]).to.deep.equal([undefined, ['UPL_KEY']]);
    const [[list] = []] = applyChanges({ delete_files: true }) as Record<string, Json>[][];
    expect(list).to.include({ type: 'array', maxItems: 1000 });
    expect(list?.['items']).to.deep.include({
      properties: { storage_key: KEY, deleted: { type: 'boolean', const: true } },
    });
    expect(describeUploads({ delete_files: 'true' }).refuses).to.deep.equal(NONE);
  });

  it('rejects a value in its folder if one is in the request', () => {
    for (const [upload_folder, more] of [
      ['', []],
      ['a/b', []],
      ['a/$ENV.PLACE', []],
      ['a/$PAYLOAD.b', ['UPL_FOLDER_VALUE']],
      ['$ENV.PLACE/$TOKEN.id', ['UPL_FOLDER_VALUE']],
    ] as const) {
      expect(describeUploads({ upload_folder }).refuses, upload_folder).to.deep.equal([...NONE, ...more]);
      expect(describeUploads({ upload_folder, delete_files: true }).refuses, upload_folder).to.deep.equal([
        'UPL_KEY',
        ...more,
      ]);
    }
  });
});
