/** How definitions on documents are put together by `interface-documents.ts` and its neighbour. Data only. */
export const validates = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
export const issues = { ...validates, expiration: 3600, custom_claim_fields: ['id', 'email'], property_name: 'token' };
export const guard = {
  tokenize: validates,
  protected: { provide_as: 'Authorization', extract_claims: ['id', 'email'] },
};

export type Part = Readonly<Record<string, unknown>>;
/** A query of the collection `books`, unless it names another. */
export const defineBookQuery = (action: string, rest: Part = {}): Part => ({
  mode: 'QUERY',
  mongo_query: { collection: 'books', action, ...rest },
});
export const defineRules = (field: Part, rest: Part = {}) => ({ payload_validation: [{ field, ...rest }] });
export const defineLibraryResource = (id: string, actionables: Part | readonly Part[], rest: Part = {}): Part => ({
  id,
  resource: `lib/${id}`,
  actionables: [actionables].flat().map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
export const defineDependsOn = (action: number, pairs: Readonly<Record<string, string>>, resource_id = 'self') => ({
  depends_on: [
    {
      resource_id,
      action_ids: [action],
      extract_response_for: Object.entries(pairs).map(([extract, name]) => ({ extract, for: name })),
    },
  ],
});
export const defineReaderQuery = (action: string, rest: Part = {}) =>
  defineBookQuery(action, { collection: '_reader', ...rest });
export const BY_ID = { filter_predicate: { id: '$PAYLOAD.id' } };
export const defineCardCiphers = (operation: string, rest: Part = {}) => ({
  ciphers: [
    { operation, properties: ['card'], algorithm: 'XChaCha20Poly1305', options: { key: '$ENV.FIELD_KEY' }, ...rest },
  ],
});
