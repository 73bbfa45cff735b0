/**
 * Mistakes of the applications' authors: without these changes 14 of the 57 endpoints respond differently than their
 * clients expect, these eight and six that need their effects. Everything else is served as it was written.
 */
export interface Correction {
  readonly application: string;
  readonly endpoint: string;
  readonly file: string;
  readonly mistake: string;
  /** The message of `lintel check`, and the word that it names; null: it cannot know what a client expects. */
  readonly expected: { readonly code: string; readonly word: string } | null;
  /** Endpoints that expect what this one writes. */
  readonly needed?: readonly string[];
  readonly changes: readonly (readonly [from: string, to: string])[];
}

/** Semantics, section 3: where a resource declares no rules, each word is a name of the payload, under the profile too. */
const NO_RULES = 'The resource declares no rules, so the word is the name of a payload field, which no client sends.';
/** Semantics, section 3: with declared rules, a name that none of them declares is a text in the profile. */
const NO_RULE = 'The resource has rules and none for this field, so the profile reads its name as a text.';
const unruled = (word: string) => ({ code: 'LNK_UNRULED', word });

export const CORRECTIONS: readonly Correction[] = [
  {
    ...{ application: 'marketplace', endpoint: 'paymentWebhook', file: 'apis/paymentWebhook.json' },
    ...{ mistake: NO_RULES, expected: unruled('paid') },
    changes: [
      [
        'status = $1, updated_at = $2::timestamptz WHERE reference = $3',
        "status = 'paid', updated_at = $1::timestamptz WHERE reference = $2",
      ],
      ['["paid", "$DATETIME"', '["$DATETIME"'],
    ],
  },
  {
    ...{ application: 'marketplace', endpoint: 'confirmDelivery', file: 'apis/confirmDelivery.json' },
    ...{ mistake: NO_RULES, expected: unruled('released'), needed: ['myOrders'] },
    changes: [
      ['SET state = $1 WHERE \\"orderId\\" = $2', `SET state = 'released' WHERE \\"orderId\\" = $1`],
      ['["released", "order"]', '["order"]'],
      ['SET status = $1 WHERE id = $2', "SET status = 'FULFILLED' WHERE id = $1"],
      ['["FULFILLED", "order"]', '["order"]'],
    ],
  },
  {
    ...{ application: 'clinic', endpoint: 'my_appointments', file: 'apis/appointments.json' },
    ...{ mistake: NO_RULES, expected: unruled('cancelled') },
    changes: [
      ['a.status <> $2 ORDER', "a.status <> 'cancelled' ORDER"],
      ['["$PROTECTED.id", "cancelled"]', '["$PROTECTED.id"]'],
    ],
  },
  {
    ...{ application: 'savings-circle', endpoint: 'circle-join', file: 'apis/circle-join.json' },
    mistake: 'A broadcast has the returnables of the resource, which do not list the text that the page shows.',
    expected: null,
    changes: [
      ['"broadcast_websocket_message"', '"returnables": ["circle_id", "text"],\n      "broadcast_websocket_message"'],
    ],
  },
  {
    ...{ application: 'savings-circle', endpoint: 'circle-invite', file: 'apis/circle-invite.json' },
    ...{ mistake: NO_RULES, expected: unruled('sent') },
    changes: [
      ['VALUES ($1, $2, $3, $4)', "VALUES ($1, $2, $3, 'sent')"],
      ['"phone", "sent"]', '"phone"]'],
    ],
  },
  {
    ...{ application: 'support-desk', endpoint: 'assignTicket', file: 'resources/tickets.json' },
    ...{ mistake: NO_RULES, expected: unruled('assigned'), needed: ['myQueue', 'closeTicket'] },
    changes: [
      ['status = $2, updated_at = $3 WHERE id = $4 AND', "status = 'assigned', updated_at = $2 WHERE id = $3 AND"],
      ['["$PROTECTED.id", "assigned", ', '["$PROTECTED.id", '],
    ],
  },
  {
    ...{ application: 'support-desk', endpoint: 'replyTicket', file: 'resources/tickets.json' },
    ...{
      mistake: NO_RULE,
      expected: { code: 'LNK_LITERAL', word: 'ticketId' },
      needed: ['ticketThread', 'hooks/mail'],
    },
    changes: [
      [
        '[{ "field": { "body": { "type": "STRING" } },',
        '[{ "field": { "ticketId": { "type": "STRING" } } }, { "field": { "body": { "type": "STRING" } },',
      ],
    ],
  },
  {
    ...{ application: 'support-desk', endpoint: 'rateTicket', file: 'resources/tickets.json' },
    ...{ mistake: NO_RULE, expected: { code: 'LNK_LITERAL', word: 'customerId' }, needed: ['deskStats'] },
    changes: [
      [
        '"max_length": 5 }]',
        '"max_length": 5 }, { "field": { "ticketId": { "type": "STRING" }, "customerId": { "type": "STRING" } } }]',
      ],
    ],
  },
];
