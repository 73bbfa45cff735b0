/**
 * The PostgreSQL queue apart from its statements: creation of its tables, and a connection that is lost as soon as it
 * is opened.
 */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Log } from '../../../contract/plugin.js';
import { listenOn } from '../../../plugins/queues/postgres/server.js';
import { makeTables, TABLE } from '../../../plugins/queues/shared/sql-schema.js';
import { waitUntil } from '../../support/until.js';

const doNothing = (): void => {};
const LOG: Log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

describe('queue tables in PostgreSQL', () => {
  /** `layout`: the comment of the existing tables. A statement is recorded when it has ended. */
  async function listLayoutStatements(layout: string | null): Promise<string[]> {
    const ended: string[] = [];
    await makeTables(async (text) => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(text.replace(/\s+/g, ' '));
      return text.includes('obj_description') ? [{ layout }] : [];
    });
    return ended;
  }

  it('are created one statement after the other, and record at the end how they were created', async () => {
    const all = await listLayoutStatements(null);
    expect(all[0]).to.include("to_regclass('lintel_jobs')");
    const own = all.findIndex((text) => text.startsWith('ALTER TABLE lintel_jobs ADD COLUMN'));
    expect(all.slice(0, own).some((text) => text.includes(`CREATE TABLE IF NOT EXISTS "${TABLE}"`))).to.equal(true);
    expect(all.slice(own).map((text) => /^\w+ \w+( IF NOT EXISTS)? \w+/.exec(text)?.[0])).to.deep.equal([
      'ALTER TABLE lintel_jobs',
      'ALTER TABLE lintel_jobs',
      'CREATE INDEX IF NOT EXISTS lintel_jobs_waiting',
      'CREATE INDEX IF NOT EXISTS lintel_jobs_delayed',
      'CREATE INDEX IF NOT EXISTS lintel_jobs_running',
      'CREATE INDEX IF NOT EXISTS lintel_jobs_dead',
      'CREATE TABLE IF NOT EXISTS lintel_job_marks',
      'COMMENT ON TABLE',
    ]);
    expect(all.at(-1)).to.match(/^COMMENT ON TABLE lintel_jobs IS '[0-9a-f]{64}'$/);
  });

  it('are left unchanged if this version has created them, and created again if another one has', async () => {
    const layout = /'([0-9a-f]{64})'$/.exec((await listLayoutStatements(null)).at(-1) ?? '')?.[1] ?? '';
    expect(await listLayoutStatements(layout)).to.have.length(1);
    const other = await listLayoutStatements('0'.repeat(64));
    expect(other.length).to.be.greaterThan(8);
    expect(other.at(-1)).to.include(layout);
  });
});

describe('queue channel in PostgreSQL', () => {
  /** A message of the protocol: its type, its length, its content. */
  const message = (type: string, ...content: (string | number[])[]): Buffer => {
    const body = Buffer.concat(
      content.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : Buffer.from(part))),
    );
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const READY = [message('R', [0, 0, 0, 0]), message('Z', [0x49])];
  const FATAL = message('E', 'SFATAL', 'C57P01', 'Mterminating connection', [0]);

  it('opens a new connection when its own ends with the response to the login', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', doNothing);
      socket.once('data', () => socket.end(Buffer.concat([...READY, FATAL])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ear = listenOn({ host: '127.0.0.1', port, user: 'u', database: 'd', password: '' }, doNothing, LOG);
    try {
      await waitUntil(() => sockets.length > 1, 'it connects again');
    } finally {
      await ear.stop();
      server.close();
    }
  });

  it('ends while its connection is being opened', async () => {
    let begun = false;
    const server = createServer((socket) => {
      socket.on('error', doNothing);
      // The login gets no response; the terminate message of the client does.
      socket.once('data', () => {
        begun = true;
        socket.once('data', () => socket.end());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ear = listenOn({ host: '127.0.0.1', port, user: 'u', database: 'd', password: '' }, doNothing, LOG);
    try {
      await waitUntil(() => begun, 'it connects');
    } finally {
      await ear.stop();
      server.close();
    }
  });
});
