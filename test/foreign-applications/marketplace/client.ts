/** What the shop's pages and its payment provider call, and what they expect. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Loose } from '../../support/client.js';
import type { Endpoint } from '../../support/other-origin.js';
import { JPEG_BLUE, PNG_RED } from '../../support/pictures.js';

const ADA = { email: 'ada@kasuwa.example', password: 'correct horse', fullName: 'Ada O.' };
const BEN = { email: 'ben@kasuwa.example', password: 'battery staple', fullName: 'Ben K.', phone: '+234 800 1' };
const createBearerHeader = (user: Loose) => ({ authorization: `Bearer ${String(user['accessToken'])}` });
const createFile = (bytes: Buffer, type: string) => new Blob([new Uint8Array(bytes)], { type });

export const ORIGINS = ['https://shop.kasuwa.example', 'https://admin.kasuwa.example', 'http://localhost:5173'];

export function createMarketplaceEndpoints(): Endpoint[] {
  let ada: Loose = {};
  let ben: Loose = {};
  let listing: Loose = {};
  let order: Loose = {};
  let photos: Loose[] = [];

  return [
    [
      'signUp',
      async (page) => {
        ada = await page.post('signUp', ADA);
        expect(ada).to.have.all.keys('id', 'email', 'fullName', 'accessToken');
        expect(ada).to.include({ email: ADA.email, fullName: ADA.fullName });
        ben = await page.post('signUp', BEN);
        await page.expectRejected(409, 'signUp', ADA);
        await page.expectRejected(422, 'signUp', { ...ADA, email: 'no address' });
      },
    ],
    [
      'signIn',
      async (page) => {
        ada = await page.post('signIn', { email: ADA.email, password: ADA.password });
        expect(ada).to.have.all.keys('id', 'email', 'fullName', 'accessToken');
        await page.expectRejected(401, 'signIn', { email: ADA.email, password: 'wrong password' });
      },
    ],
    [
      'createListing',
      async (page) => {
        const made = { title: 'Red lamp', price: 12.5, tags: ['light', 'home'] };
        listing = await page.post('createListing', made, createBearerHeader(ada));
        expect(listing).to.deep.include({ ...made, sellerId: ada['id'], description: null, status: 'active' });
        expect(listing['created_at']).to.match(/^\d{4}-\d\d-\d\dT/);
        await page.expectRejected(401, 'createListing', made);
      },
    ],
    [
      'uploadListingPhotos',
      async (page) => {
        const form = new FormData();
        form.set('listingId', String(listing['id']));
        form.append('file', createFile(PNG_RED, 'image/png'), 'lamp.png');
        form.append('file', createFile(JPEG_BLUE, 'image/jpeg'), 'lamp.jpg');
        photos = await page.upload('uploadListingPhotos', form, createBearerHeader(ada));
        expect(photos.map(({ size }) => size)).to.deep.equal([PNG_RED.length, JPEG_BLUE.length]);
        for (const photo of photos) {
          expect(photo).to.have.all.keys('id', 'url', 'storageKey', 'color', 'size');
          expect(photo['storageKey']).to.contain(`listings/${String(ada['id'])}/`);
        }
      },
    ],
    [
      'searchListings',
      async (page) => {
        const found = { id: listing['id'], title: 'Red lamp', price: 12.5, tags: ['light', 'home'] };
        expect(await page.post('searchListings', { q: 'LAMP' })).to.deep.equal(found);
        expect(await page.post('searchListings')).to.deep.equal(found);
        expect(await page.get('searchListings?q=lamp')).to.deep.equal(found);
        expect(await page.get('searchListings?q=table')).to.equal(null);
      },
    ],
    [
      'latestListings',
      async (page) => {
        const latest = { id: listing['id'], title: 'Red lamp', price: 12.5, sellerName: ADA.fullName };
        expect(await page.get('latestListings')).to.deep.equal(latest);
        expect(await page.post('latestListings')).to.deep.equal(latest);
      },
    ],
    [
      'listingDetail',
      async (page) => {
        const detail = await page.get(`listingDetail?id=${String(listing['id'])}`);
        expect(detail).to.include({ title: 'Red lamp', sellerName: ADA.fullName, sellerPhone: null });
        const message = await page.expectRejected(404, 'listingDetail', { id: 'none' });
        expect(message).to.equal('Operation Failed: this action must return a value!');
      },
    ],
    [
      'placeOrder',
      async (page) => {
        order = await page.post('placeOrder', { listingId: listing['id'] }, createBearerHeader(ben));
        expect(order).to.have.all.keys('id', 'amount', 'status', 'reference');
        expect(order).to.include({ amount: 12.5, status: 'awaiting payment' });
        await page.expectRejected(404, 'placeOrder', { listingId: 'there is none' }, createBearerHeader(ben));
      },
    ],
    [
      'payOrder',
      async (page) => {
        const paying = await page.post('payOrder', { orderId: order['id'] }, createBearerHeader(ben));
        expect(JSON.stringify(paying)).to.contain('https://pay.example/x').and.contain(String(order['reference']));
        await page.expectRejected(404, 'payOrder', { orderId: order['id'] }, createBearerHeader(ada));
      },
    ],
    [
      'paymentWebhook',
      async (page) => {
        const event = { event: 'charge.success', data: { reference: order['reference'] } };
        const sign = (key: string) => ({
          'x-payment-signature': createHmac('sha512', key).update(JSON.stringify(event)).digest('hex'),
        });
        const socket = await page.socket(String(ben['id']));
        try {
          await page.expectRejected(401, 'paymentWebhook', event, sign('another key'));
          const paid = { orderId: order['id'], state: 'funded' };
          expect(await page.post('paymentWebhook', event, sign('whsec_91b7ce'))).to.deep.equal(paid);
          const { uid, action, data } = await socket.next();
          expect({ uid, action, data }).to.deep.equal({ uid: ben['id'], action: 'orderPaid', data: paid });
        } finally {
          await socket.close();
        }
      },
    ],
    [
      'confirmDelivery',
      async (page) => {
        const done = await page.post('confirmDelivery', { orderId: order['id'] }, createBearerHeader(ben));
        expect(done).to.deep.equal({ id: order['id'], status: 'FULFILLED' });
        await page.expectRejected(404, 'confirmDelivery', { orderId: order['id'] }, createBearerHeader(ben));
      },
    ],
    [
      'myOrders',
      async (page) => {
        const mine = await page.post('myOrders', {}, createBearerHeader(ben));
        expect(mine).to.include({ id: order['id'], amount: 12.5, status: 'FULFILLED', title: 'Red lamp' });
        expect(mine['orderedAt']).to.be.a('string');
        expect(await page.post('myOrders', {}, createBearerHeader(ada))).to.equal(null);
      },
    ],
    [
      'deleteListingPhotos',
      async (page) => {
        const keys = photos.map(({ storageKey }) => storageKey);
        await page.post('deleteListingPhotos', keys, createBearerHeader(ada));
      },
    ],
    ['expireOrders', async (page) => void (await page.expectRejected(404, 'expireOrders'))],
    [
      'signOut',
      async (page) => {
        await page.post('signOut', {}, createBearerHeader(ben));
        await page.expectRejected(401, 'myOrders', {}, createBearerHeader(ben));
        await page.post('myOrders', {}, createBearerHeader(ada));
      },
    ],
  ];
}
