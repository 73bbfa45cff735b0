/** Colours for people; none when the stream is not a terminal or NO_COLOR is set. */
import { styleText } from 'node:util';
import type { Paint } from '../source/frame.js';

const STYLES = {
  error: ['bold', 'red'],
  warning: ['bold', 'yellow'],
  hint: ['bold', 'blue'],
  dim: 'dim',
  bold: 'bold',
} as const;

const coloured = (): boolean =>
  process.env['FORCE_COLOR'] !== undefined || (process.stdout.isTTY && process.env['NO_COLOR'] === undefined);

export const paint: Paint = (style, text) => {
  const format = STYLES[style];
  return coloured() ? styleText(typeof format === 'string' ? format : [...format], text) : text;
};
