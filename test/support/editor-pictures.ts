/** Pictures of the documents: written with `SCREENSHOTS=1`, as small as they can be read, because the package has them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import sharp from 'sharp';
import type { Editor } from './editor.js';
import { ROOT } from './project.js';

export const hasPictures = env['SCREENSHOTS'] === '1';

/** `clip`: a part of the screen. */
export async function savePicture(
  { page }: Editor,
  name: string,
  clip?: { x: number; y: number; width: number; height: number },
): Promise<void> {
  if (!hasPictures) return;
  const images = join(ROOT, 'docs/images');
  // The pointer shows texts of its own.
  await page.mouse.move(0, 0);
  await mkdir(images, { recursive: true });
  const png = await page.screenshot({ ...(clip !== undefined && { clip }) });
  // Text stays sharp, and the files are half as large as lossy ones.
  const palette = await sharp(png).png({ palette: true, colours: 16, dither: 0, effort: 10 }).toBuffer();
  await sharp(palette)
    .webp({ lossless: true, effort: 6 })
    .toFile(join(images, `${name}.webp`));
}
