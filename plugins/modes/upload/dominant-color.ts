/**
 * Computes the dominant color from a downscaled picture. Formats, pixels, time and concurrency are limited; a failure
 * results in no color.
 */
import type Sharp from 'sharp';
import { createLimiter } from '../../../contract/limiter.js';
import type { UploadedFile } from '../../../contract/plan.js';
import type { Requester } from '../../../contract/requester.js';
import { clock } from '../../../language/project/clock.js';

const TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);
const MAX_PIXELS = 40_000_000;
const SECONDS = 5;
const AT_ONCE = 2;
/** Maximum waiting pictures; further ones have no color. */
const MAX_WAITING = 100;
const EDGE = 64;

let loading: Promise<typeof Sharp> | null = null;

/** Loaded lazily because of its size. */
const loadLibrary = (): Promise<typeof Sharp> => (loading ??= load());

async function load(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // Enables only these four of the library's decoders.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegFile',
      'VipsForeignLoadPngFile',
      'VipsForeignLoadWebpFile',
      'VipsForeignLoadNsgifFile',
    ],
  });
  return sharp;
}

/** `type`: detected from the bytes. Null where no color is found. */
export type ReadDominantColor = (file: UploadedFile, type: string, requester?: Requester) => Promise<string | null>;

export function createColorReader(): ReadDominantColor {
  const limiter = createLimiter(AT_ONCE, MAX_WAITING, () => new Error('too many pictures'), { clock });
  return async ({ path }, type, requester) => {
    if (!TYPES.has(type)) return null;
    try {
      return await limiter.run(() => readColor(path), requester);
    } catch {
      return null;
    }
  };
}

async function readColor(path: string): Promise<string | null> {
  const sharp = await loadLibrary();
  const { data, info } = await sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
    .timeout({ seconds: SECONDS })
    .resize(EDGE, EDGE, { fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return info.channels === 4 ? computeDominantColor(data) : null;
}

/** Bits per channel. */
const BITS = 4;

/** `points`: RGBA bytes of the pixels. Null when all are transparent. */
export function computeDominantColor(points: Uint8Array): string | null {
  const bins = new Map<number, { count: number; red: number; green: number; blue: number }>();
  for (let i = 0; i + 3 < points.length; i += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = points.subarray(i, i + 4);
    if (alpha < 128) continue;
    const shift = 8 - BITS;
    const key = ((red >> shift) << (2 * BITS)) | ((green >> shift) << BITS) | (blue >> shift);
    const bin = bins.get(key) ?? { count: 0, red: 0, green: 0, blue: 0 };
    bin.count++;
    bin.red += red;
    bin.green += green;
    bin.blue += blue;
    bins.set(key, bin);
  }
  const fullest = [...bins.values()].sort((a, b) => b.count - a.count)[0];
  if (fullest === undefined) return null;
  const { count, red, green, blue } = fullest;
  return `#${[red, green, blue]
    .map((sum) =>
      Math.round(sum / count)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
