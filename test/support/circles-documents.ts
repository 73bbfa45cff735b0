/**
 * Definitions of a small shop that stores everything in documents, as authors of another system with the interface
 * would write them: the document database under its other names, models without `id`, operators, and the usual chains.
 * Data only.
 */
import { defineDependency, defineCircleResource, tokenize } from './circles.js';
import type { Files } from './project.js';

const defineMongoQuery = (collection: string, action: string, more: object = {}) => ({
  mode: 'QUERY',
  mongo_query: { collection, action, ...more },
});
const shopGuard = {
  tokenize: tokenize(),
  protected: { provide_as: 'Authorization', extract_claims: ['_id', 'handle'] },
};
const defineRule = (name: string, type = 'STRING', more: object = {}) => ({ field: { [name]: { type } }, ...more });

export const SHOP: Files = {
  // The document database generates the identifier.
  'definitions/db/_customer.json': {
    email: { type: 'String', max_length: 255, indexable: true },
    handle: { type: 'String' },
    password: { type: 'String' },
    address: { type: 'JSON_OBJECT', optional: true, properties: { city: { type: 'String' }, zip: { type: 'String' } } },
    points: { type: 'Number' },
    created_at: { type: 'DateTime' },
    updated_at: { type: 'DateTime' },
  },
  'definitions/db/_order.json': {
    customer: { type: 'String', foreign_key: { of: '_customer', key: '_id' } },
    lines: { type: 'JSON_ARRAY', property_type: 'JSON_OBJECT' },
    status: { type: 'String', max_length: 20 },
    total: { type: 'Float' },
    created_at: { type: 'DateTime' },
    updated_at: { type: 'DateTime' },
  },
  'definitions/x1.json': defineCircleResource(
    'sign-up',
    [
      {
        ...defineMongoQuery('customers', 'INSERT', {
          parameters: ['email', 'handle', 'password', '$PAYLOAD.address', 'points'],
          with_timestamp: true,
          unique: ['email'],
        }),
        payload_validation: [
          defineRule('email', 'EMAIL'),
          defineRule('handle'),
          defineRule('password', 'STRING', { min_length: 8, max_length: 64 }),
          defineRule('points', 'NUMBER'),
        ],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
      },
    ],
    {
      tokenize: tokenize({ custom_claim_fields: ['_id', 'handle'], property_name: 'session' }),
      returnables: ['_id', 'handle', 'session'],
    },
  ),
  'definitions/x2.json': defineCircleResource(
    'sign-in',
    [
      {
        ...defineMongoQuery('customers', 'FETCH', { filter_predicate: { email: '$1' }, parameters: ['email'] }),
        payload_validation: [defineRule('email', 'EMAIL'), defineRule('password')],
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      },
    ],
    {
      tokenize: tokenize({ custom_claim_fields: ['_id', 'handle'], property_name: 'session' }),
      returnables: ['_id', 'handle', 'points', 'session'],
    },
  ),
  'definitions/x3.json': defineCircleResource(
    'address',
    [
      {
        ...defineMongoQuery('customers', 'UPDATE', {
          filter_predicate: { _id: '$PROTECTED._id' },
          update_predicate: { $set: { 'address.city': '$1', 'address.zip': '$PAYLOAD.zip' }, $inc: { points: 5 } },
          parameters: ['$PAYLOAD.city'],
          with_timestamp: true,
        }),
        returnables: ['address', 'points'],
      },
    ],
    shopGuard,
  ),
  // An order, and the points that it brings: the read is written last.
  'definitions/orders/place.json': defineCircleResource(
    'order',
    [
      {
        ...defineMongoQuery('customers', 'UPDATE', {
          filter_predicate: { _id: '$PROTECTED._id' },
          update_predicate: { $set: { points: '$1' } },
          parameters: ['points'],
        }),
        depends_on: [defineDependency(3, { points: 'points' })],
      },
      {
        ...defineMongoQuery('orders', 'INSERT', {
          document: {
            customer: '$PROTECTED._id',
            lines: '$PAYLOAD.lines',
            status: 'new',
            total: '$PAYLOAD.total',
          },
          with_timestamp: true,
        }),
        payload_validation: [defineRule('lines', 'ARRAY'), defineRule('total', 'NUMBER')],
        main_returnable: true,
        returnables: ['_id', 'status', 'total', 'lines.0.sku'],
        broadcast_websocket_message: { broadcast_type: 'ALL', action: 'ordered' },
      },
      { ...defineMongoQuery('customers', 'FETCH', { filter_predicate: { _id: '$PROTECTED._id' } }), no_op: true },
    ],
    shopGuard,
  ),
  'definitions/orders/mine.json': defineCircleResource(
    'orders',
    [
      defineMongoQuery('orders', 'FETCH', {
        filter_predicate: {
          customer: '$PROTECTED._id',
          status: { $in: ['new', 'FULFILLED'] },
          total: { $gte: '$PAYLOAD.from', $lt: 1000 },
          'lines.sku': '$1',
        },
        parameters: ['$PAYLOAD.sku'],
      }),
    ],
    shopGuard,
  ),
  'definitions/orders/done.json': defineCircleResource('orders/done', [
    defineMongoQuery('orders', 'UPDATE', {
      filter_predicate: { _id: '$PAYLOAD._id', status: { $ne: 'FULFILLED' } },
      update_predicate: { $set: { status: 'FULFILLED' } },
      with_timestamp: true,
    }),
  ]),
  'definitions/orders/find.json': defineCircleResource('orders/find', [
    defineMongoQuery('orders', 'FETCH', { filter_predicate: { status: '$PAYLOAD.status' } }),
  ]),
};
