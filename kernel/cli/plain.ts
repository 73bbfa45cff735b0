/** Text of others on its way to a terminal: what a terminal would obey, or show in another order, is written as an escape. */

/** Control characters but line ends, and those that turn the direction of writing. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON text stays JSON, and means the same. */
export const plain = (text: string): string =>
  text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
