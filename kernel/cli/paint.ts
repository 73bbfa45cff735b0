/** Colours for people; none when stdout is no terminal or NO_COLOR is set. */
import { styleText } from 'node:util';
import type { Paint } from '../source/frame.js';
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

/** Text as it is. */
export const unpainted: Paint = (_style, text) => text;

export function paintFor(terminal: Terminal): Paint {
  if (!isColoured(terminal)) return unpainted;
  return (style, text) => {
    const format = STYLES[style];
    // Whether there are colours is decided already, and not by the streams of this process.
    return styleText(typeof format === 'string' ? format : [...format], text, { validateStream: false });
  };
}
