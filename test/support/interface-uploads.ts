/** Uploads written from the interface alone: with queries, caching and guards. Data only. */
const tokenize = { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' };
const guard = { tokenize, protected: { extract_claims: ['id'] } };
const images = { max_file_uploads: 2, max_upload_file_size: 65_536, allowed_mimetypes: ['image/png', 'image/jpeg'] };

/** Written from the interface alone. */
export const DEFINITIONS = [
  {
    _photo: {
      id: { type: 'String', primary_key: true },
      owner: { type: 'String' },
      url: { type: 'String' },
      storage_key: { type: 'String' },
      file_size: { type: 'Number' },
      dominant_color: { type: 'String', optional: true },
      caption: { type: 'String', optional: true },
    },
  },
  {
    id: 'sign-in',
    resource: 'sign-in',
    tokenize: { ...tokenize, custom_claim_fields: ['id'], property_name: 'access' },
    actionables: [{ id: 1, mode: 'RETURN', value: { id: '$PAYLOAD.id' } }],
  },
  {
    id: 'upload',
    resource: 'upload',
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { ...images, upload_folder: 'public' },
        returnables: ['url', 'file_size', 'dominant_color'],
      },
    ],
  },
  {
    id: 'upload-with-key',
    resource: 'upload-with-key',
    actionables: [
      { id: 1, mode: 'UPLOAD', uploads: { ...images, upload_folder: 'public' }, returnables: ['storage_key'] },
    ],
  },
  {
    id: 'upload-document',
    resource: 'upload-document',
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { allowed_mimetypes: ['application/pdf'], upload_folder: '$ENV.STAGE/documents' },
      },
    ],
    returnables: ['url', 'storage_key'],
  },
  {
    id: 'photos-add',
    resource: 'photos-add',
    ...guard,
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { ...images, upload_folder: 'users/$PROTECTED.id' },
        payload_validation: [{ field: { caption: { type: 'STRING', max_length: 30, optional: true } } }],
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: {
          query:
            'INSERT INTO photo (id, owner, url, storage_key, file_size, dominant_color, caption) ' +
            'VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *',
          parameters: [
            '$GENERATOR.ULID',
            '$PROTECTED.id',
            'url',
            'storage_key',
            'file_size',
            'dominant_color',
            'caption',
          ],
          multi: true,
        },
        cacheable: { invalidate_cache_keys: ['photos of $PROTECTED.id'] },
        returnables: ['storage_key', 'file_size', 'dominant_color', 'caption'],
      },
    ],
  },
  {
    id: 'photos',
    resource: 'photos',
    ...guard,
    cacheable: { read_from_cache: true, cache_key: 'photos of $PROTECTED.id', duration: 300 },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        result: 'many',
        sql_query: {
          query: 'SELECT storage_key, caption FROM photo WHERE owner = $1 ORDER BY storage_key',
          parameters: ['$PROTECTED.id'],
        },
        returnables: ['storage_key', 'caption'],
      },
    ],
  },
  {
    id: 'photo-first',
    resource: 'photo-first',
    ...guard,
    actionables: [
      { id: 1, mode: 'UPLOAD', uploads: { ...images, upload_folder: 'first' } },
      {
        id: 2,
        mode: 'QUERY',
        depends_on: [
          {
            resource_id: 'self',
            action_ids: [1],
            extract_response_for: [
              { extract: '0.url', for: 'address' },
              { extract: '0.file_size', for: 'size' },
            ],
          },
        ],
        sql_query: { query: 'SELECT $1::text AS address, $2::int AS size', parameters: ['address', 'size'] },
        returnables: ['address', 'size'],
      },
    ],
  },
  {
    id: 'photos-remove',
    resource: 'photos-remove',
    ...guard,
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { delete_files: true, upload_folder: 'users/$PROTECTED.id' },
        cacheable: { invalidate_cache_keys: ['photos of $PROTECTED.id'] },
      },
    ],
  },
  {
    id: 'folder-of-payload',
    resource: 'folder-of-payload',
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { ...images, upload_folder: 'a/$PAYLOAD.folder' },
        returnables: ['storage_key'],
      },
    ],
  },
  {
    id: 'limited',
    resource: 'limited',
    rate_limit: { limit: 2, identifier: '$PAYLOAD.name', expires_after: 60 },
    actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
  },
  {
    id: 'sign-out',
    resource: 'sign-out',
    ...guard,
    invalidate_tokenize: { tokens: '$HEADER.authorization', expires_after: 3600 },
  },
];
