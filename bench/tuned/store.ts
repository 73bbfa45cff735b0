/**
 * The accounts of the tuned services in PostgreSQL: a pool of ten, every statement prepared once per connection. Times
 * are read as text, because responses contain them as text.
 */
import { createCipheriv, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { Refusal } from './refusal.js';
import type { NewAccount, NewContact } from './schemas.js';

export interface Account extends NewAccount {
  readonly id: number;
  readonly created_at: string;
}
export interface Contact extends NewContact {
  readonly id: number;
}
export interface Wallet {
  readonly id: number;
  readonly balance: number;
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
// Ids are small enough for a JSON number.
pg.types.setTypeParser(INT8, Number);
pg.types.setTypeParser(TIMESTAMPTZ, formatTime);

/** PostgreSQL omits trailing zeros of a fraction, and a zero fraction. */
function formatTime(text: string): string {
  const whole = text.length === 26 && text.endsWith('+00');
  return whole ? `${text.slice(0, 10)}T${text.slice(11, 23)}Z` : new Date(text).toISOString();
}

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c TimeZone=UTC' });
pool.on('error', (error) => {
  console.error('idle database client failed:', error.message);
});

export const closeStore = (): Promise<void> => pool.end();

async function selectRows<T extends object>(name: string, text: string, values: readonly unknown[]): Promise<T[]> {
  return (await pool.query<T>({ name, text, values: [...values] })).rows;
}

function takeFirst<T>(rows: readonly T[], message: string): T {
  const [row] = rows;
  if (row === undefined) throw new Refusal(404, message);
  return row;
}

const columns = 'id, owner, email, balance, created_at';

export async function findAccount(id: unknown): Promise<Account> {
  const text = `SELECT ${columns} FROM _account WHERE id = $1`;
  return takeFirst(await selectRows<Account>('find', text, [id]), 'no such account');
}

/** Caches the text of an account for a minute. */
export function createAccountCache<T extends object | string>(
  make: (account: Account) => T,
): (id: number) => T | Promise<T> {
  const known = new LRUCache<number, T>({ max: 10_000, ttl: 60_000 });
  const load = async (id: number): Promise<T> => {
    const made = make(await findAccount(id));
    known.set(id, made);
    return made;
  };
  return (id) => known.get(id) ?? load(id);
}

export function listAccounts(after: number): Promise<Account[]> {
  return selectRows('list', `SELECT ${columns} FROM _account WHERE id > $1 ORDER BY id LIMIT 50`, [after]);
}

export async function insertAccount({ owner, email, balance }: NewAccount): Promise<Account> {
  const text = `INSERT INTO _account (owner, email, balance, created_at) VALUES ($1, $2, $3, $4) RETURNING ${columns}`;
  return takeFirst(await selectRows<Account>('insert', text, [owner, email, balance, new Date()]), 'not inserted');
}

const fieldKey = Buffer.from(process.env.BENCH_FIELD_KEY ?? '', 'utf8');

function encryptText(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', fieldKey, nonce, { authTagLength: 16 });
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64');
}

export async function insertContact({ owner, email, phone }: NewContact): Promise<Contact> {
  const text = 'INSERT INTO _contact (owner, email, phone) VALUES ($1, $2, $3) RETURNING id, owner, email, phone';
  const values = [owner, encryptText(email), encryptText(phone)];
  return takeFirst(await selectRows<Contact>('insert-contact', text, values), 'not inserted');
}

/** Reads and changes the balance in one statement, which needs no explicit transaction. */
export async function addToWallet(id: number, amount: number): Promise<Wallet> {
  const text = 'UPDATE _wallet SET balance = balance + $2::bigint WHERE id = $1 RETURNING id, balance';
  return takeFirst(await selectRows<Wallet>('add', text, [id, amount]), 'no such wallet');
}

/** Reads and then writes the balance in one transaction of two statements. */
export async function addInTransaction(id: number, amount: number): Promise<Wallet> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const lock = { name: 'lock', text: 'SELECT id, balance FROM _wallet WHERE id = $1 FOR UPDATE', values: [id] };
    const { balance } = takeFirst((await client.query<Wallet>(lock)).rows, 'no such wallet');
    const text = 'UPDATE _wallet SET balance = $2 WHERE id = $1 RETURNING id, balance';
    const { rows } = await client.query<Wallet>({ name: 'change', text, values: [id, balance + amount] });
    await client.query('COMMIT');
    return takeFirst(rows, 'no such wallet');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
