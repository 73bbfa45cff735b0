/**
 * The hand-written service on MySQL and MariaDB: mysql2 with a pool of ten and prepared statements (`execute`). An insert
 * is one statement: the response has the values of the request and the new id.
 */
import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { type AccountStore, type NewAccount, serveAccounts } from './accounts.js';

const pool = mysql.createPool({ uri: process.env.MYSQL_URL ?? '', connectionLimit: 10, timezone: 'Z' });

async function findById(id: number): Promise<object | undefined> {
  const [rows] = await pool.execute<RowDataPacket[]>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = ?',
    [id],
  );
  return rows[0];
}

async function listAfter(id: number): Promise<object[]> {
  const [rows] = await pool.execute<RowDataPacket[]>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id > ? ORDER BY id LIMIT 50',
    [id],
  );
  return rows;
}

async function insert(account: NewAccount): Promise<object> {
  const { owner, email, balance, created_at } = account;
  const [{ insertId }] = await pool.execute<ResultSetHeader>(
    'INSERT INTO _account (owner, email, balance, created_at) VALUES (?, ?, ?, ?)',
    [owner, email, balance, created_at],
  );
  return { id: insertId, ...account };
}

async function add(id: number, amount: number): Promise<object | undefined> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const [rows] = await connection.execute<RowDataPacket[]>('SELECT balance FROM _wallet WHERE id = ? FOR UPDATE', [
      id,
    ]);
    const balance = rows[0] === undefined ? undefined : Number(rows[0].balance) + amount;
    if (balance !== undefined) await connection.execute('UPDATE _wallet SET balance = ? WHERE id = ?', [balance, id]);
    await connection.commit();
    return balance === undefined ? undefined : { id, balance };
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}

const store: AccountStore = { findById, listAfter, insert, add, close: () => pool.end() };
serveAccounts(store);
