/** The gallery of the sample over real HTTP: pictures of one user, their files, and the cached list. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { createFormData, GIF_BLACK, JPEG_BLUE, PDF, PNG_RED, SVG, WEBP_GREEN, type Part } from '../support/pictures.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { listFilesBelow } from '../support/temp-files.js';
import { createWalletInit, createPerson, type Person } from '../support/wallet.js';

type Photos = readonly Loose[];
const FIELDS = ['id', 'url', 'storage_key', 'dominant_color', 'caption', 'created_at'];
const picture = (content: Buffer | string, file: string, type = ''): Part => ({ name: 'file', content, file, type });
const RED = picture(PNG_RED, 'red.png', 'image/png');

const files = { 'definitions/rows.json': defineQueryResource('rows', 'SELECT count(*)::int AS n FROM _photos') };

describeOnDatabase('sample: gallery', { prepare: copyQuickSample, env: SAMPLE_ENV, files }, (kernel) => {
  let ada: Person;
  beforeEach(async () => {
    ada = await createPerson(kernel());
  });

  const add = (who: Person, ...parts: readonly Part[]): Promise<Answer<Photos>> =>
    kernel().request<Photos>('POST', '/gallery/add', { ...createWalletInit(who.token), body: createFormData(parts) });
  const list = async (who: Person): Promise<Photos> => (await who.post<Photos>('/gallery')).body;
  const getStorageKey = (photo: Loose | undefined): string => String(photo?.['storage_key']);
  const listStoredFiles = (): Promise<string[]> => listFilesBelow(join(kernel().project.folder, '.lintel/files/open'));
  const rows = async (): Promise<unknown> => (await kernel().post('/rows')).body['n'];

  it('accepts pictures with one caption, and returns them latest first', async () => {
    const caption = { name: 'caption', content: 'by the sea' };
    const blue = picture(JPEG_BLUE, 'blue.jpg', 'image/jpeg');
    const { status, body, text } = await add(ada, RED, caption, blue);
    expect(status, text).to.equal(200);
    expect(body.map((photo) => Object.keys(photo))).to.deep.equal([FIELDS, FIELDS]);
    expect(body.map(({ dominant_color: color }) => color)).to.deep.equal(['#ff0000', '#0000fe']);
    expect(body.map(({ caption: words }) => words)).to.deep.equal(['by the sea', 'by the sea']);
    for (const photo of body) expect(getStorageKey(photo)).to.match(new RegExp(`^gallery/${ada.id}/[^/]+$`));
    expect(await list(ada)).to.deep.equal(body.toReversed());
  });

  it('serves the bytes at the URL in the list', async () => {
    await add(ada, picture(WEBP_GREEN, 'a.webp', 'image/webp'), picture(GIF_BLACK, 'b.gif', 'image/gif'));
    const types = [];
    for (const { url } of await list(ada)) {
      const answer = await fetch(new URL(String(url), kernel().url));
      expect(answer.status, String(url)).to.equal(200);
      types.push([answer.headers.get('content-type'), Buffer.from(await answer.arrayBuffer())]);
    }
    expect(types).to.deep.equal([
      ['image/gif', GIF_BLACK],
      ['image/webp', WEBP_GREEN],
    ]);
  });

  it('needs no caption', async () => {
    expect((await add(ada, RED)).body[0]).to.include({ caption: null });
  });

  it('shows each user only their own pictures', async () => {
    const bob = await createPerson(kernel());
    const mine = (await add(ada, RED)).body;
    const his = (await add(bob, RED)).body;
    for (const [who, photos] of [
      [ada, mine],
      [bob, his],
      [ada, mine],
    ] as const)
      expect(await list(who)).to.deep.equal(photos);
  });

  it('caches the list, and reads it again after each change', async () => {
    expect(await list(ada)).to.deep.equal([]);
    const [first] = (await add(ada, RED)).body;
    expect(await list(ada)).to.have.lengthOf(1);
    const [second] = (await add(ada, RED)).body;
    expect((await list(ada)).map(getStorageKey)).to.deep.equal([getStorageKey(second), getStorageKey(first)]);
    await ada.post('/gallery/remove', [getStorageKey(first)]);
    expect((await list(ada)).map(getStorageKey)).to.deep.equal([getStorageKey(second)]);
  });

  const rejected: readonly [string, number, string, readonly Part[]][] = [
    ['a text declared as a picture', 415, 'UPL_TYPE_REFUSED', [picture('hello', 'a.png', 'image/png')]],
    ['a PDF', 415, 'UPL_TYPE_REFUSED', [picture(PDF, 'a.pdf', 'application/pdf')]],
    ['an SVG', 415, 'UPL_TYPE_REFUSED', [picture(SVG, 'a.svg', 'image/svg+xml')]],
    ['a PNG declared as a JPEG', 415, 'UPL_TYPE_REFUSED', [picture(PNG_RED, 'a.jpg', 'image/jpeg')]],
    ['a valid picture with an invalid one', 415, 'UPL_TYPE_REFUSED', [RED, picture(PDF, 'a.pdf', 'application/pdf')]],
    ['more than 5 MiB', 413, 'REQ_PART', [picture(Buffer.concat([PNG_RED, Buffer.alloc(5_242_880)]), 'a.png')]],
    ['six pictures', 413, 'REQ_TOO_COMPLEX', Array.from({ length: 6 }, () => RED)],
    ['a long caption', 422, 'VAL_PAYLOAD', [RED, { name: 'caption', content: 'x'.repeat(201) }]],
    ['a form without a file', 422, 'UPL_NO_FILE', [{ name: 'caption', content: 'sea' }]],
  ];
  for (const [title, status, code, parts] of rejected) {
    it(`rejects ${title} with ${status}, and stores nothing`, async () => {
      const before = [await listStoredFiles(), await rows()];
      const answer = await add(ada, ...parts);
      expect([answer.status, (answer.body as unknown as Loose)['code']], answer.text).to.deep.equal([status, code]);
      expect([await listStoredFiles(), await rows()]).to.deep.equal(before);
    });
  }

  it('names in an error response the accepted types, and how files are sent', async () => {
    const { body } = await add(ada, picture('hello', 'a.png', 'image/png'));
    const [issue] = (body as unknown as Loose)['errors'] as readonly Loose[];
    expect(issue).to.include({ pointer: '/file' });
    expect(issue?.['detail']).to.contain('one of: image/jpeg, image/png, image/webp, image/gif');
    expect((await ada.post('/gallery/add', {})).body['detail']).to.contain('multipart/form-data');
  });

  it('accepts nothing without a token, nor for a closed wallet', async () => {
    const before = await listStoredFiles();
    const body = createFormData([RED]);
    expect((await kernel().request('POST', '/gallery/add', { body })).status).to.equal(401);
    await ada.post('/profile/close');
    const { status, text } = await add(ada, RED);
    expect([status, text.includes('This wallet is closed.')], text).to.deep.equal([404, true]);
    expect(await listStoredFiles()).to.deep.equal(before);
  });

  it('removes files and rows together, and returns their keys', async () => {
    const [first, second] = (await add(ada, RED, RED)).body;
    const { status, body, text } = await ada.post<Photos>('/gallery/remove', [getStorageKey(first)]);
    expect(status, text).to.equal(200);
    expect(body).to.deep.equal([{ id: first?.['id'], storage_key: getStorageKey(first) }]);
    expect((await list(ada)).map(getStorageKey)).to.deep.equal([getStorageKey(second)]);
    expect(await listStoredFiles())
      .to.include(getStorageKey(second))
      .and.not.include(getStorageKey(first));
    const gone = await fetch(new URL(String(first?.['url']), kernel().url));
    expect(gone.status).to.equal(404);
    expect((await ada.post<Photos>('/gallery/remove', [getStorageKey(first)])).body, 'again').to.deep.equal([]);
  });

  it('never removes pictures of another user, nor the others of that request', async () => {
    const bob = await createPerson(kernel());
    const [mine, his] = [(await add(ada, RED)).body[0], (await add(bob, RED)).body[0]];
    const twisted = `gallery/${ada.id}/../${bob.id}/${getStorageKey(his).split('/').at(-1)}`;
    for (const key of [getStorageKey(his), twisted]) {
      const { status, body } = await ada.post('/gallery/remove', [getStorageKey(mine), key]);
      expect([status, body['code']]).to.deep.equal([422, 'UPL_KEY']);
    }
    expect((await ada.post('/gallery/remove', { keys: [getStorageKey(mine)] })).status, 'no list').to.equal(422);
    expect(await listStoredFiles())
      .to.include(getStorageKey(mine))
      .and.include(getStorageKey(his));
    expect([await list(ada), await list(bob)].map((photos) => photos.length)).to.deep.equal([1, 1]);
  });
});
