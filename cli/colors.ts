/** Disabled if stdout is not a TTY or NO_COLOR is set. */
import { styleText } from 'node:util';
import type { StyleText } from '../language/source/code-frame.js';
import type { Terminal } from './terminal.js';

const STYLES = {
  error: ['bold', 'red'],
  warning: ['bold', 'yellow'],
  hint: ['bold', 'blue'],
  dim: 'dim',
  bold: 'bold',
} as const;

const isColoured = ({ env, stdout }: Terminal): boolean =>
  env['FORCE_COLOR'] !== undefined || (stdout.isTTY === true && env['NO_COLOR'] === undefined);

export const omitColor: StyleText = (_style, text) => text;

export function createPaint(terminal: Terminal): StyleText {
  if (!isColoured(terminal)) return omitColor;
  return (style, text) => {
    const format = STYLES[style];
    // `isColoured` decides; `styleText` would check the streams of this process.
    return styleText(typeof format === 'string' ? format : [...format], text, { validateStream: false });
  };
}
