/** What the desk's pages, the help centre and the mail service call, and what they expect. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Loose } from '../../support/client.js';
import type { Endpoint } from '../../support/other-origin.js';
import { waitUntil } from '../../support/until.js';

const AMA = { email: 'ama@desk.example', password: 'at the desk', name: 'Ama', team: 'billing' };
const CUSTOMER = 'customer-17';
const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function mailToken(key: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const text = `${encodePart({ alg: 'HS512', typ: 'JWT' })}.${encodePart({ iss: 'mail', iat, exp: iat + 60 })}`;
  return `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`;
}

export const ORIGINS = ['https://help.desk.example', 'http://localhost:3000'];

export function createSupportDeskEndpoints(): Endpoint[] {
  let ama: Loose = {};
  let ticket: Loose = {};
  const getJwt = () => String(ama['jwt']);
  const createBearerHeader = () => ({ authorization: `Bearer ${getJwt()}` });
  const withTicketId = (more: object = {}) => ({ ticketId: ticket['id'], ...more });

  return [
    [
      'agent/sign-up',
      async (page) => {
        ama = await page.post('agent/sign-up', AMA);
        expect(ama).to.have.all.keys('id', 'name', 'team', 'jwt');
        await page.expectRejected(409, 'agent/sign-up', AMA);
      },
    ],
    [
      'agent/sign-in',
      async (page) => {
        ama = await page.post('agent/sign-in', { email: AMA.email, password: AMA.password });
        expect(ama).to.include({ name: 'Ama', team: 'billing' });
        await page.expectRejected(401, 'agent/sign-in', { email: AMA.email, password: 'not that' });
      },
    ],
    [
      'openTicket',
      async (page) => {
        const desk = await page.socket('desk-screen');
        try {
          ticket = await page.post('openTicket', { subject: 'Card declined', customerId: CUSTOMER });
          expect(ticket).to.include({ subject: 'Card declined', status: 'open' });
          const { action, data } = await desk.next();
          expect(action).to.equal('ticket_opened');
          expect(data).to.include({ id: ticket['id'], subject: 'Card declined' });
        } finally {
          await desk.close();
        }
        await page.expectRejected(422, 'openTicket', { subject: 'x', customerId: CUSTOMER });
      },
    ],
    [
      'assignTicket',
      async (page) => {
        const socket = await page.socket(String(ama['id']), 'x-access-token', getJwt());
        try {
          const { data, error } = await socket.sendRequest('assignTicket', withTicketId());
          expect(error).to.equal(undefined);
          expect(data).to.deep.equal({ id: ticket['id'], status: 'assigned', agent_id: ama['id'] });
        } finally {
          await socket.close();
        }
      },
    ],
    [
      'myQueue',
      async (page) => {
        const row = { id: ticket['id'], subject: 'Card declined', status: 'assigned' };
        expect(await page.post('myQueue', {}, createBearerHeader())).to.deep.equal(row);
        for (const protocol of ['Authorization', 'x-access-token']) {
          const socket = await page.socket(String(ama['id']), protocol, getJwt());
          const { action, data } = await socket.sendRequest('myQueue');
          await socket.close();
          expect({ action, data }, protocol).to.deep.include({ data: row });
        }
      },
    ],
    [
      'watchTicket',
      async (page) => {
        const socket = await page.socket('watcher-1');
        try {
          const { data } = await socket.sendRequest('watchTicket', withTicketId());
          expect(data).to.deep.equal({ id: ticket['id'], watchers: ['watcher-1'] });
        } finally {
          await socket.close();
        }
      },
    ],
    [
      'typing',
      async (page) => {
        const [one, other] = [await page.socket(CUSTOMER), await page.socket('desk-screen')];
        try {
          one.send({ resource: 'typing', action: 'typing', payload: withTicketId() });
          const said = await other.next();
          expect(said.action).to.equal('typing');
          expect(said.data).to.deep.equal({ ticket_id: ticket['id'], customer_id: CUSTOMER });
        } finally {
          await one.close();
          await other.close();
        }
      },
    ],
    [
      'replyTicket',
      async (page) => {
        const socket = await page.socket(CUSTOMER);
        try {
          const reply = await page.post(
            'replyTicket',
            withTicketId({ body: 'We look into it.' }),
            createBearerHeader(),
          );
          expect(reply).to.include({ ticket_id: ticket['id'], author_id: ama['id'], body: 'We look into it.' });
          const { action, data } = await socket.next();
          expect({ action, data }).to.deep.equal({ action: 'new_reply', data: reply });
        } finally {
          await socket.close();
        }
        await page.expectRejected(401, 'replyTicket', withTicketId({ body: 'no token' }));
      },
    ],
    [
      'ticketThread',
      async (page) => {
        const socket = await page.socket(CUSTOMER);
        try {
          const { data } = await socket.sendRequest('ticketThread', withTicketId());
          expect(data).to.include({ author_id: ama['id'], body: 'We look into it.', attachment: null });
        } finally {
          await socket.close();
        }
        expect(await page.post('ticketThread', withTicketId({ id: 'another customer' }))).to.equal(null);
      },
    ],
    [
      'attachFile',
      async (page) => {
        const form = new FormData();
        form.set('ticketId', String(ticket['id']));
        form.set('customerId', CUSTOMER);
        form.append('file', new Blob(['a log'], { type: 'text/plain' }), 'app.log.txt');
        const rows = await page.upload<Loose[]>('attachFile', form);
        expect(rows).to.have.length(1);
        expect(rows[0]?.['attachment']).to.contain(`tickets/${String(ticket['id'])}/`);
      },
    ],
    [
      'closeTicket',
      async (page) => {
        const socket = await page.socket('watcher-1');
        try {
          const closed = { id: ticket['id'], status: 'closed' };
          expect(await page.post('closeTicket', withTicketId(), createBearerHeader())).to.deep.equal(closed);
          const { action, data } = await socket.next();
          expect({ action, data }).to.deep.equal({ action: 'ticket_closed', data: closed });
        } finally {
          await socket.close();
        }
      },
    ],
    [
      'rateTicket',
      async (page) => {
        const rated = await page.post('rateTicket', withTicketId({ score: 4, customerId: CUSTOMER }));
        expect(rated).to.deep.equal({ id: ticket['id'], score: 4 });
        await page.expectRejected(404, 'rateTicket', withTicketId({ score: 4, customerId: 'another' }));
      },
    ],
    [
      'deskStats',
      async (page) => expect(await page.post('deskStats')).to.include({ total: 1, closed: 1, score: 4 }) as never,
    ],
    [
      'hooks/mail',
      async (page) => {
        const mail = { mail: { ticket: ticket['id'], from: CUSTOMER, text: 'Thank you' } };
        const sign = (key: string) => ({ authorization: `Bearer ${mailToken(key)}` });
        await page.expectRejected(401, 'hooks/mail', mail, sign('another key'));
        const { status } = await page.sendRequest('POST', 'hooks/mail', mail, sign('mail-1f2e3d'));
        expect(status).to.be.oneOf([200, 202]);
        const fetchThread = (): Promise<Loose[]> => page.post('ticketThread', withTicketId({ id: CUSTOMER }));
        await waitUntil(async () => (await fetchThread()).length === 3, 'the mail in the thread');
      },
    ],
  ];
}
