/**
 * Calls and webhooks written from the interface alone: `OTHER_SERVICE` and the secrets of the senders come from the
 * environment. Data only.
 */
const defineWebhook = (id: string, verifications: object, value: unknown = { got: '$PAYLOAD' }): object => ({
  id,
  resource: `hooks/${id}`,
  webhook: { verifications },
  actionables: [{ id: 1, mode: 'RETURN', value }],
});
const defineHmac = (algorithm?: string): object => ({
  HmacSignatureVerifier: {
    sig_header: '$HEADER.x-signature',
    secret_key: '$ENV.WEBHOOK_SECRET',
    ...(algorithm && { algorithm }),
  },
});
const token = { HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.WEBHOOK_SECRET' } };

const call = (id: string, http: object, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'HTTPREQUEST', http, ...more }],
});

/** Written from the interface alone. */
export const DEFINITIONS = [
  {
    _payment: {
      id: { type: 'String', primary_key: true },
      provider_id: { type: 'String' },
      amount: { type: 'Float' },
      status: { type: 'String' },
      created_at: { type: 'DateTime', optional: true },
    },
  },
  call('accessors-in-url', {
    url: '$ENV.OTHER_SERVICE/users/$PAYLOAD.user.id?lang=$HEADER.accept-language',
    method: 'GET',
  }),
  call('headers', {
    url: '$ENV.OTHER_SERVICE/headers',
    method: 'POST',
    headers: { 'x-api-key': '$ENV.API_KEY', 'x-caller': 'user $PAYLOAD.user.id', 'x-id': '$GENERATOR.UUID' },
    request_body: {},
  }),
  call('body', {
    url: '$ENV.OTHER_SERVICE/body',
    method: 'POST',
    request_body: {
      whole: '$PAYLOAD',
      number: '$PAYLOAD.amount',
      text: 'amount: $PAYLOAD.amount',
      nested: { list: ['$PAYLOAD.user.id', 1, true, null] },
      at: '$DATETIME',
    },
  }),
  call('whole-body', { url: '$ENV.OTHER_SERVICE/body', method: 'PUT', request_body: '$PAYLOAD' }),
  call('text-reply', { url: '$ENV.OTHER_SERVICE/text', method: 'GET' }),
  call(
    'kept-names',
    { url: '$ENV.OTHER_SERVICE/price', method: 'GET' },
    { returnables: ['data.price', 'data.tags.0'] },
  ),
  call('refused', { url: '$ENV.OTHER_SERVICE/missing', method: 'GET' }),
  call('failed', { url: '$ENV.OTHER_SERVICE/broken', method: 'DELETE' }),
  {
    id: 'chain',
    resource: 'chain',
    actionables: [
      { id: 1, mode: 'HTTPREQUEST', no_op: true, http: { url: '$ENV.OTHER_SERVICE/price', method: 'GET' } },
      {
        id: 2,
        mode: 'QUERY',
        payload_validation: [{ field: { provider_id: { type: 'STRING' } }, min_length: 1, max_length: 40 }],
        depends_on: [
          {
            resource_id: 'self',
            action_ids: [1],
            extract_response_for: [
              { extract: 'data.price', for: 'price' },
              { extract: 'data.tags.1', for: 'tag' },
            ],
          },
        ],
        sql_query: {
          query:
            'INSERT INTO payment (id, provider_id, amount, status, created_at) VALUES ($1, $2, $3::float8, $4, $5::timestamptz) RETURNING *',
          parameters: ['$GENERATOR.ULID', 'provider_id', 'price', 'tag', '$DATETIME'],
        },
        returnables: ['provider_id', 'amount', 'status'],
      },
    ],
  },
  {
    id: 'another-resource',
    resource: 'another-resource',
    actionables: [
      {
        id: 1,
        mode: 'HTTPREQUEST',
        depends_on: [
          {
            resource_id: 'kept-names',
            action_ids: [1],
            extract_response_for: [{ extract: 'self_', for: 'everything' }],
          },
        ],
        http: { url: '$ENV.OTHER_SERVICE/body', method: 'POST', request_body: { all: '$PAYLOAD.everything' } },
      },
    ],
  },
  {
    id: 'payment-webhook',
    resource: 'payment-webhook',
    webhook: { verifications: defineHmac('sha512') },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: {
          query: 'INSERT INTO payment (id, provider_id, amount, status) VALUES ($1, $2, $3::float8, $4) RETURNING id',
          parameters: ['$GENERATOR.ULID', '$PAYLOAD.data.reference', '$PAYLOAD.data.amount', { literal: 'FULFILLED' }],
        },
      },
      {
        id: 2,
        mode: 'HTTPREQUEST',
        http: {
          url: '$ENV.OTHER_SERVICE/body',
          method: 'POST',
          headers: { 'x-event': '$HEADER.x-event' },
          request_body: { paid: '$PAYLOAD.data.reference', whole: '$PAYLOAD' },
        },
      },
      {
        id: 3,
        mode: 'QUERY',
        sql_query: {
          query: 'SELECT status, amount FROM payment WHERE provider_id = $1',
          parameters: ['$PAYLOAD.data.reference'],
        },
        main_returnable: true,
        returnables: ['status', 'amount'],
      },
    ],
  },
  defineWebhook('hmac-default', defineHmac()),
  defineWebhook('hmac-sha384', defineHmac('sha384')),
  defineWebhook('token', token, { event: '$HEADER.x-event', name: '$PAYLOAD.name', all: '$PAYLOAD' }),
  defineWebhook('public-key', {
    PublicKeySignatureVerifier: { header_key: '$HEADER.x-rsa', public_key_pem: '$ENV.SENDER_PEM' },
  }),
  defineWebhook('jwt', { JwtVerifier: { header_key: '$HEADER.authorization', secret_key: '$ENV.SENDER_JWT' } }),
  defineWebhook('jwt-512', {
    JwtVerifier: { header_key: '$HEADER.x-jwt', secret_key: '$ENV.SENDER_JWT', algorithm: 'HS512' },
  }),
  defineWebhook('ips', { IpAllowListVerifier: { allowed_ips: '$ENV.SENDER_IPS' } }),
  defineWebhook('ips-of-others', { IpAllowListVerifier: { allowed_ips: '$ENV.OTHER_IPS' } }),
  defineWebhook('all', { ...defineHmac(), ...token }),
  defineWebhook('any', { composition_strategy_mode: 'ANY', ...defineHmac(), ...token }),
];
