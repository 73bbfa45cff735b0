/** Computes the dominant color: sorts pixels into bins, and averages the fullest. */

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
