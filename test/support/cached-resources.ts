/** Resources with `cacheable`. `$GENERATOR` in a result shows whether it was computed again. */
import { defineReturnResource } from './project.js';

const MADE = '$GENERATOR.ULID';
/** The hash of "right": a fixed one, since a capital after its last `$` would be read as an accessor. */
const RIGHT = '$2b$04$vr8zzC7P.pgiz6pRqKn/5uUCd5UHGiRMECTq74TUbPatJjaYDt0ga';
const read = (cache_key?: string, duration = 600): object => ({
  cacheable: { read_from_cache: true, duration, ...(cache_key !== undefined && { cache_key }) },
});
const defineInvalidation = (id: string, ...names: string[]): object =>
  defineReturnResource(id, 1, { cacheable: { invalidate_cache_keys: names } });
const defineGuard = (...claims: string[]): object => ({
  tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
  protected: { extract_claims: claims },
});

export const FILES = {
  'definitions/resources.json': [
    defineReturnResource('plain', { made: MADE }, read()),
    defineReturnResource('short', { made: MADE }, read('short', 0.3)),
    defineReturnResource('by-id', { made: MADE, id: '$PAYLOAD.id' }, read('item $PAYLOAD.id')),
    defineInvalidation('drop-item', 'item $PAYLOAD.number'),
    defineInvalidation('drop-all-items', 'item '),
    defineReturnResource('pair', { made: MADE, a: '$PAYLOAD.a', b: '$PAYLOAD.b' }, read('$PAYLOAD.a:$PAYLOAD.b')),
    defineInvalidation('drop-pair', '$PAYLOAD.a:$PAYLOAD.b'),
    defineReturnResource('unnamed-value', { made: MADE, id: '$PAYLOAD.id' }, read('everything')),
    defineReturnResource('same-name', { other: MADE, id: '$PAYLOAD.id' }, read('everything')),
    defineInvalidation('drop-everything', 'everything'),
    defineInvalidation('drop-plain', 'plain'),
    defineInvalidation('drop-several', 'everything', 'item $PAYLOAD.id'),
    defineReturnResource('mine', { made: MADE, id: '$PROTECTED.id' }, { ...defineGuard('id'), ...read('profile') }),
    defineReturnResource('members', { made: MADE }, { ...defineGuard('id'), ...read('members') }),
    defineReturnResource(
      'role',
      { made: MADE, id: '$PROTECTED.id' },
      { ...defineGuard('id', 'role'), ...read('of $PROTECTED.role') },
    ),
    defineInvalidation('drop-profile', 'profile'),
    defineReturnResource('tenant', { made: MADE, tenant: '$HEADER.x-tenant' }, read('tenants')),
    defineReturnResource('body', { made: MADE, body: '$PAYLOAD' }, read('bodies')),
    {
      ...defineReturnResource('ruled', {}),
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { made: MADE, id: '$PAYLOAD.id', more: '$PAYLOAD.more' },
          payload_validation: [
            {
              field: {
                id: { type: 'NUMBER' },
                more: { type: 'STRING', optional: true },
                unread: { type: 'STRING', optional: true },
              },
            },
          ],
        },
      ],
      ...read('ruled $PAYLOAD.id $PAYLOAD.more'),
    },
    {
      id: 'verify',
      resource: 'verify',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { id: 1, password: RIGHT },
          verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
        },
      ],
    },
    {
      id: 'enter',
      resource: 'enter',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { made: MADE, id: '$PAYLOAD.known' },
          depends_on: [
            { resource_id: 'verify', action_ids: [1], extract_response_for: [{ extract: 'id', for: 'known' }] },
          ],
        },
      ],
      ...read('enter'),
    },
    defineReturnResource('nothing', null, read('nothing')),
    {
      id: 'inner',
      resource: 'inner',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { made: MADE, id: '$PAYLOAD.id', rest: 1 },
          returnables: ['made', 'id'],
          ...read(),
        },
        {
          id: 2,
          mode: 'RETURN',
          value: { inside: '$PAYLOAD.inside', outside: MADE },
          main_returnable: true,
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'made', for: 'inside' }] },
          ],
        },
      ],
    },
    {
      id: 'chained',
      resource: 'chained',
      actionables: [
        { id: 1, mode: 'RETURN', value: { id: '$PAYLOAD.id' } },
        {
          id: 2,
          mode: 'RETURN',
          value: { made: MADE, owner: '$PAYLOAD.owner' },
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'id', for: 'owner' }] },
          ],
          ...read('chained'),
        },
      ],
    },
    {
      id: 'drop-inner',
      resource: 'drop-inner',
      actionables: [{ id: 1, mode: 'RETURN', value: 1, cacheable: { invalidate_cache_keys: ['inner#1'] } }],
    },
    {
      id: 'borrowing',
      resource: 'borrowing',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { made: '$PAYLOAD.made' },
          depends_on: [
            { resource_id: 'inner', action_ids: [1], extract_response_for: [{ extract: 'made', for: 'made' }] },
          ],
        },
      ],
    },
  ],
};
