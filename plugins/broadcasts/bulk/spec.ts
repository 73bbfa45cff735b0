/** Spec of `BULK`: the connections of several uids. */
import type { Json } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { constantErrors, checkConstantReceiver, isOneAccessor } from '../shared/receiver-names.light.js';
import { guardField, isInvalidReceiver, MAX_UIDS, RECEIVER_ROOTS, receiverErrors } from '../shared/receivers.light.js';

export default definePlugin({
  kind: 'broadcast',
  name: 'BULK',
  since: '0.4.0',
  aliases: ['MULTIPLE', 'MANY', 'USERS', 'LIST', 'MULTI', 'MULTICAST', 'SOME'],
  summary: 'Sends the message to every connection of the `uid`s in a list.',
  details:
    'A receiver that the list names several times gets the message once. A request is rejected with 422 if the value ' +
    'is not a list, or if an item is neither text nor a number. An empty list sends nothing. The guard of the ' +
    'receivers is found as for `SINGLE`.',
  facts: { receivers: 'broadcast_to', realm: 'broadcast_guard' },
  schema: shape({
    broadcast_guard: guardField,
    broadcast_to: value(null, {
      doc: `The \`uid\`s of the receivers: an accessor to a list, or a list of accessors. At most ${MAX_UIDS.toLocaleString('en')}.`,
      examples: ['$PAYLOAD.member_ids'],
      roots: RECEIVER_ROOTS,
      afterwards: true,
      sent: true,
    }).required(),
  }),
  check,
  openapi: () => ({ refuses: ['BRC_LIST', 'BRC_MANY', 'BRC_RECEIVER'] }),
  errors: {
    ...receiverErrors,
    ...constantErrors,
    BRC_LIST: {
      status: 422,
      title: 'No list of receivers',
      message: '"broadcast_to" must be a list.',
      help: 'Nothing was sent. Use a list of identifiers.',
    },
    BRC_MANY: {
      status: 422,
      title: 'Too many receivers',
      message: '"broadcast_to" may name {max} receivers at most.',
      help: 'Nothing was sent. Send several messages, or one to a room.',
    },
    BRC_NO_LIST: {
      severity: 'error',
      title: 'No list of receivers',
      message: '`broadcast_to` must be an accessor to a list, such as "$PAYLOAD.member_ids", or a list of accessors.',
      help: 'For one receiver use `"broadcast_type": "SINGLE"`.',
    },
  },
  examples: [
    {
      title: 'The two parties of a deal',
      json: {
        broadcast_type: 'BULK',
        action: 'deal_signed',
        broadcast_to: ['$PAYLOAD.buyer_id', '$PAYLOAD.seller_id'],
      },
    },
    {
      title: 'A list from the request',
      json: { broadcast_type: 'BULK', action: 'invited', broadcast_to: '$PAYLOAD.member_ids' },
    },
  ],
  counterExamples: [
    { title: 'No receivers', json: { broadcast_type: 'BULK', action: 'invited' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A number instead of a list',
      json: { broadcast_type: 'BULK', action: 'invited', broadcast_to: 5 },
      code: 'BRC_NO_LIST',
      at: '/broadcast_to',
    },
    {
      title: 'Two accessors in one text',
      json: { broadcast_type: 'BULK', action: 'invited', broadcast_to: '$PAYLOAD.buyer_id,$PAYLOAD.seller_id' },
      code: 'BRC_NO_LIST',
      at: '/broadcast_to',
    },
    {
      title: 'An empty list',
      json: { broadcast_type: 'BULK', action: 'invited', broadcast_to: ['$PAYLOAD.id', null] },
      code: 'BRC_NO_LIST',
      at: '/broadcast_to/1',
    },
  ],
});

/** A valid list only if it is exactly one accessor. */
function check({ value: { broadcast_to: to }, root }: CheckPlace): Finding[] {
  const at = '/broadcast_to';
  if (to === undefined) return [];
  if (Array.isArray(to))
    return (to as readonly Json[]).flatMap((item, index) =>
      isInvalidReceiver(item)
        ? [{ code: 'BRC_NO_LIST', at: `${at}/${index}` }]
        : checkConstantReceiver(item, `${at}/${index}`, root),
    );
  if (typeof to !== 'string' || to === '$PAYLOAD') return [{ code: 'BRC_NO_LIST', at }];
  const constant = checkConstantReceiver(to, at, root);
  return constant.length > 0 ? constant : isOneAccessor(to) ? [] : [noList(to, at)];
}

/** Fix that splits `a, b` into two receivers. */
function noList(text: string, at: string): Finding {
  const items = text.split(/[,;|\s]+/).filter((item) => item !== '');
  const list = JSON.stringify(items).replaceAll('","', '", "');
  return { code: 'BRC_NO_LIST', at, ...(items.length > 0 && { fix: { title: `change to ${list}`, text: list } }) };
}
