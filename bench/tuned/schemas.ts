/**
 * JSON Schemas of the bodies that the tuned services accept; Fastify compiles them itself, the others use Ajv. They
 * reject the same requests as the hand-written service.
 */
export interface AccountRequest {
  readonly id: number;
}
export interface ListRequest {
  readonly after: number;
}
export interface WalletRequest {
  readonly id: number;
  readonly amount: number;
}
export interface NewAccount {
  readonly owner: string;
  readonly email: string;
  readonly balance: number;
}
export interface NewContact {
  readonly owner: string;
  readonly email: string;
  readonly phone: string;
}
export interface Echo {
  readonly owner: string;
  readonly email: string;
  readonly amount: number;
  readonly quantity: number;
  readonly reference: string;
  readonly note: string;
}
export interface Address {
  readonly street: string;
  readonly city: string;
  readonly zip: string;
}
export interface Item {
  readonly sku: string;
  readonly quantity: number;
  readonly price: number;
  readonly note: string;
}
export interface Nested {
  readonly number: number;
  readonly customer: { readonly name: string; readonly email: string; readonly address: Address };
  readonly items: readonly Item[];
}

type Schema = Readonly<Record<string, unknown>>;

/** An object with these members, all required. */
const members = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const text = (minLength: number, maxLength: number): Schema => ({ type: 'string', minLength, maxLength });
const number: Schema = { type: 'number' };

/** The pattern of `<input type="email">`, which takes linear time. */
const email: Schema = {
  type: 'string',
  maxLength: 255,
  pattern:
    "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?" +
    '(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$',
};
const owner = text(1, 80);

export const schemas = {
  account: members({ id: number }),
  list: members({ after: number }),
  wallet: members({ id: number, amount: number }),
  newAccount: members({ owner, email, balance: number }),
  newContact: members({ owner, email, phone: text(0, 40) }),
  echo: members({
    owner,
    email,
    amount: number,
    quantity: { type: 'number', minimum: 0, maximum: 1000 },
    reference: text(12, 12),
    note: text(0, 2000),
  }),
  nested: members({
    number: { type: 'integer', minimum: 0 },
    customer: members({
      name: text(1, 80),
      email,
      address: members({ street: text(0, 120), city: text(0, 80), zip: text(5, 5) }),
    }),
    items: {
      type: 'array',
      maxItems: 20,
      items: members({
        sku: text(1, 40),
        quantity: { type: 'integer', minimum: 1, maximum: 1000 },
        price: { type: 'number', minimum: 0 },
        note: text(0, 200),
      }),
    },
  }),
} as const;

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const account = members({ id: integer, owner: string, email: string, balance: number, created_at: string });

/** The members that Fastify serializes; others are left out. */
export const answers = {
  health: members({ status: string, version: integer }),
  account,
  accounts: { type: 'array', items: account },
  contact: members({ id: integer, owner: string, email: string, phone: string }),
  wallet: members({ id: integer, balance: number }),
  hook: members({ reference: string, amount: number }),
  quote: members({ id: integer, price: number, currency: string, valid_until: string }),
} as const;
