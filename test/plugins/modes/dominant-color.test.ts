/** The colour of a picture: correct for valid ones, nothing for others, with limited cost. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Json } from '../../../contract/json.js';
import { computeDominantColor, createColorReader } from '../../../plugins/modes/upload/dominant-color.js';
import { measureAsyncCpuTime } from '../../support/cpu.js';
import { createImageBomb, GIF_BLACK, JPEG_BLUE, PNG_RED, SVG, WEBP_GREEN } from '../../support/pictures.js';

describe('dominant_color of an upload', () => {
  const readDominantColor = createColorReader();
  let folder = '';
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function look(content: Buffer, type = 'image/png'): Promise<Json> {
    const path = join(folder, String(count++));
    await writeFile(path, content);
    const rest = { field: 'f', originalName: 'a', declaredType: type, size: content.length, head: content };
    return readDominantColor({ ...rest, path }, type);
  }

  it('finds the colour of each of the four formats', async () => {
    expect(await look(PNG_RED)).to.equal('#ff0000');
    expect(await look(JPEG_BLUE, 'image/jpeg')).to.match(/^#0[0-3]0[0-3]f[c-f]$/);
    expect(await look(WEBP_GREEN, 'image/webp')).to.equal('#00ff00');
    expect(await look(GIF_BLACK, 'image/gif')).to.equal('#000000');
  });

  it('returns the colour of most of the picture, not the average', async () => {
    // Three quarters grey, one quarter green.
    const points = Buffer.alloc(64 * 64 * 3, 0x20);
    for (let at = 0; at < points.length / 4; at += 3) points.set([0, 255, 0], at);
    const both = await sharp(points, { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toBuffer();
    expect(await look(both)).to.equal('#202020');
  });

  it('returns nothing for a picture without visible pixels', async () => {
    const glass = { create: { width: 8, height: 8, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } } } as const;
    expect(await look(await sharp(glass).png().toBuffer())).to.equal(null);
    expect(computeDominantColor(new Uint8Array())).to.equal(null);
  });

  it('returns nothing for other types, whatever their name', async () => {
    expect(await look(SVG, 'image/svg+xml')).to.equal(null);
    expect(await look(SVG, 'image/png'), 'a decoder that is not enabled').to.equal(null);
    expect(await look(PNG_RED, 'application/pdf')).to.equal(null);
    const tiff = Buffer.from('49492a0008000000000000000000', 'hex');
    expect(await look(tiff, 'image/png')).to.equal(null);
  });

  it('returns nothing for truncated or invalid pictures', async () => {
    for (const content of [PNG_RED, JPEG_BLUE, WEBP_GREEN, GIF_BLACK]) {
      for (const at of [0, 1, 8, 20, Math.floor(content.length / 2)]) {
        const found = await look(content.subarray(0, at), 'image/png');
        expect(
          found === null || /^"#[0-9a-f]{6}"$/.test(JSON.stringify(found)),
          `${content.length} cut at ${at}`,
        ).to.equal(true);
      }
      expect(await look(content.subarray(0, 8))).to.equal(null);
    }
  });

  for (const [width, height] of [
    [100_000, 100_000],
    [7000, 6000],
    [40_000, 1001],
    [2_147_483_647, 2_147_483_647],
  ] as const) {
    it(`uses neither memory nor time for a picture of ${width} x ${height}`, async () => {
      const before = process.memoryUsage().rss;
      const took = await measureAsyncCpuTime(async () =>
        expect(await look(createImageBomb(width, height))).to.equal(null),
      );
      expect(took).to.be.below(6000);
      expect(process.memoryUsage().rss - before).to.be.below(300_000_000);
    });
  }

  it('decodes many pictures, two at a time', async () => {
    const found = await Promise.all(Array.from({ length: 80 }, () => look(PNG_RED)));
    expect(new Set(found)).to.deep.equal(new Set(['#ff0000']));
  });
});
