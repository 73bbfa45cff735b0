/** Escapes untrusted text for the terminal: control characters and characters that change the text direction. */

/** Control characters except line feeds, and Unicode bidirectional controls. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON text remains equivalent JSON. */
export const escapeControl = (text: string): string =>
  text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
