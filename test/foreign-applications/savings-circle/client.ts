/** What the savers' pages call, and what they expect. */
import { expect } from 'chai';
import type { Loose } from '../../support/client.js';
import type { Endpoint } from '../../support/other-origin.js';
import { PNG_RED } from '../../support/pictures.js';
import { waitUntil } from '../../support/until.js';

const TOLU = { phone: '08030000001', pin: '4821', display_name: 'Tolu' };
const UCHE = { phone: '08030000002', pin: '9917', display_name: 'Uche' };
const createTokenHeader = (member: Loose) => ({ 'x-access-token': String(member['token']) });

export const ORIGINS = ['https://ajo.example', 'https://app.ajo.example'];

export function createSavingsCircleEndpoints(asked: () => readonly string[]): Endpoint[] {
  let tolu: Loose = {};
  let uche: Loose = {};
  let circle: Loose = {};

  return [
    [
      'member-join',
      async (page) => {
        tolu = await page.post('member-join', TOLU);
        uche = await page.post('member-join', UCHE);
        expect(tolu).to.have.all.keys('id', 'phone', 'display_name', 'token');
        await page.expectRejected(409, 'member-join', TOLU);
        await page.expectRejected(422, 'member-join', { ...TOLU, phone: '1' });
      },
    ],
    [
      'member-login',
      async (page) => {
        tolu = await page.post('member-login', { phone: TOLU.phone, pin: TOLU.pin });
        expect(tolu).to.have.all.keys('id', 'display_name', 'token');
        for (let i = 0; i < 4; i++) await page.expectRejected(401, 'member-login', { phone: TOLU.phone, pin: '0000' });
        await page.expectRejected(429, 'member-login', { phone: TOLU.phone, pin: TOLU.pin });
      },
    ],
    [
      'profile-update',
      async (page) => {
        const changed = await page.post('profile-update', { bio: 'saves monthly' }, createTokenHeader(tolu));
        expect(changed).to.deep.equal({ id: tolu['id'], display_name: 'Tolu', bio: 'saves monthly', avatar_url: null });
      },
    ],
    [
      'circle-create',
      async (page) => {
        const made = { name: 'Monday circle', amount: 5000, settings: { frequency: 'weekly', grace_days: 2 } };
        circle = await page.post('circle-create', made, createTokenHeader(tolu));
        expect(circle).to.deep.include({ ...made, status: 'open' });
      },
    ],
    [
      'circle-join',
      async (page) => {
        const body = { circle_id: circle['id'] };
        const socket = await page.socket('a-visitor');
        try {
          expect(await page.post('circle-join', body, createTokenHeader(uche))).to.deep.equal({
            ...body,
            role: 'member',
          });
          const { action, data } = await socket.next();
          expect({ action, data }).to.deep.equal({
            action: 'circle_activity',
            data: { ...body, text: 'joined the circle' },
          });
        } finally {
          await socket.close();
        }
        await page.expectRejected(409, 'circle-join', body, createTokenHeader(uche));
      },
    ],
    [
      'contribute',
      async (page) => {
        const body = { circle_id: circle['id'] };
        expect(await page.post('contribute', body, createTokenHeader(tolu))).to.deep.equal({
          id: circle['id'],
          balance: 5000,
        });
        await page.expectRejected(401, 'contribute', body);
      },
    ],
    [
      'circle-details',
      async (page) => {
        const row = { name: 'Monday circle', balance: 5000, status: 'open', frequency: 'weekly', members: 2 };
        expect(await page.post('circle-details', { circle_id: circle['id'] })).to.include(row);
        expect(await page.get(`circle-details?circle_id=${String(circle['id'])}`)).to.include(row);
      },
    ],
    [
      'circle-activity',
      async (page) => {
        const rows = await page.post<Loose[]>('circle-activity', { circle_id: circle['id'] });
        expect(rows.map(({ text, display_name }) => [text, display_name])).to.deep.equal([
          ['made a contribution', 'Tolu'],
          ['joined the circle', 'Uche'],
        ]);
        const last = await page.post('circle-activity', { circle_id: circle['id'], limit: 1 });
        expect(last).to.include({ text: 'made a contribution' });
      },
    ],
    [
      'circle-invite',
      async (page) => {
        const phones = ['08030000003', '08030000004'];
        const body = phones.map((phone) => ({ circle_id: circle['id'], phone }));
        const rows = await page.post<Loose[]>('circle-invite', body, createTokenHeader(tolu));
        expect(rows.map(({ phone, state }) => [phone, state])).to.deep.equal(phones.map((phone) => [phone, 'sent']));
      },
    ],
    [
      'send-reminder',
      async (page) => {
        const { status } = await page.sendRequest(
          'POST',
          'send-reminder',
          { phone: UCHE.phone },
          createTokenHeader(tolu),
        );
        expect(status).to.be.oneOf([200, 202]);
        await waitUntil(() => asked().length > 0, 'the call to the service of messages');
        const said = { to: UCHE.phone, text: `Hello, ${TOLU.phone} reminds you to save` };
        expect(JSON.parse(asked()[0] ?? '')).to.deep.equal(said);
      },
    ],
    [
      'avatar-upload',
      async (page) => {
        const form = new FormData();
        form.append('file', new Blob([new Uint8Array(PNG_RED)], { type: 'image/png' }), 'me.png');
        const changed = await page.upload('avatar-upload', form, createTokenHeader(tolu));
        expect(changed).to.include({ id: tolu['id'] });
        expect(changed['avatar_url']).to.contain('avatars/');
      },
    ],
    [
      'payout-list',
      async (page) => {
        expect(await page.post('payout-list', {}, createTokenHeader(uche))).to.equal(null);
        await page.post('contribute', { circle_id: circle['id'] }, createTokenHeader(uche));
        let paid: unknown = null;
        await waitUntil(
          async () => (paid = await page.post('payout-list', {}, createTokenHeader(uche))) !== null,
          'the payout',
        );
        expect(paid).to.deep.equal({ circle_id: circle['id'], amount: 10000 });
      },
    ],
    ['payout', async (page) => void (await page.expectRejected(404, 'payout'))],
  ];
}
