/** Validates e-mail addresses (RFC 5321 without quoted local parts and address literals). */
const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
const MAX_LABEL = 63;
/** RFC 5322 `atext` with the characters beyond ASCII of RFC 6531. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+$/u;
const LABEL = /^[A-Za-z0-9\u00a1-\u{10ffff}](?:[A-Za-z0-9\u00a1-\u{10ffff}-]*[A-Za-z0-9\u00a1-\u{10ffff}])?$/u;

export function isEmail(text: string): boolean {
  if (text.length > MAX_ADDRESS || !text.isWellFormed()) return false;
  const at = text.lastIndexOf('@');
  if (at < 1 || at > MAX_LOCAL) return false;
  if (
    !text
      .slice(0, at)
      .split('.')
      .every((atom) => ATOM.test(atom))
  )
    return false;
  const labels = text.slice(at + 1).split('.');
  if (labels.length < 2) return false;
  return labels.every((label) => label.length <= MAX_LABEL && LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
}
