/**
 * Texts in the form in which they mean the same: as rules ask for it, and, for counting alone, in one that takes for equal whatever a
 * store or a reader could take for equal. Pure.
 */
import { domainToASCII } from 'node:url';
import { ExactNumber } from '../../kernel/contract/exact-number.js';
import type { Form } from '../kinds/canonical.js';

const trimmed = (text: string): string => text.trim();
const composed = (text: string): string => text.normalize('NFC');
const small = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Of what is not a name alone the conversion makes something else. */
const ODD = /[\s%/?#@:\\[\]]/;

function asciiDomain(written: string): string {
  const domain = /^[\u0021-\u007e]*$/.test(written) || ODD.test(written) ? written : domainToASCII(written) || written;
  return domain.replace(/\.+$/, '');
}

/** As domains are compared: letters of another width, ligatures and the like are the plain ones. */
const plainly = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');

/** A domain that is none stays as it is, for a rule to refuse. */
function address(text: string): string {
  const plain = trimmed(plainly(text));
  const at = plain.lastIndexOf('@');
  if (at === -1) return plain;
  return plain.slice(0, at + 1) + asciiDomain(plain.slice(at + 1));
}

const CHANGES: Readonly<Record<Form, (text: string) => string>> = {
  trim: trimmed,
  nfc: composed,
  lower: small,
  email: address,
};

/** Null where nothing is asked for. What comes out goes in again unchanged. */
export function canonicalText(forms: readonly Form[]): ((text: string) => string) | null {
  if (forms.length === 0) return null;
  const changes = forms.map((form) => CHANGES[form]);
  return (text) => changes.reduce((value, change) => change(value), text);
}

/** Seen by nobody: control and format characters, soft hyphens, joiners, marks of byte order. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Accents, which some collations do not look at. */
const ACCENTS = /[\u0300-\u036f]/g;
const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/;

/**
 * One text for all spellings of a value: without regard to case, width, accents, blanks and characters that nobody sees, a number
 * as its value, an address without dots at its end. Coarser than any form of a rule: it is good for counting, never for storing.
 */
export function folded(text: string): string {
  const plain = unspelt(unspelt(text)).trim().replace(/\s+/g, ' ');
  if (NUMERAL.test(plain)) return numeral(plain);
  const at = plain.lastIndexOf('@');
  if (at === -1) return plain;
  // Accents of a domain make another domain; they are gone here all the same.
  return `${plain.slice(0, at).trim()}@${asciiDomain(plain.slice(at + 1).trim())}`;
}

/** Capitals first: `ß` and `SS`, the long s and the Kelvin sign have one small form then. */
const unspelt = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\t-\r]/g, ' ')
    .replace(UNSEEN, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '');

/** Beyond what a number holds exactly, the digits themselves. */
function numeral(text: string): string {
  const number = Number(text);
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return String(number + 0);
  return text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
}

/** The same for a value of any type; lists and objects keep their shape. */
export function foldedValue(value: unknown): unknown {
  if (typeof value === 'string') return folded(value);
  if (typeof value === 'number' || typeof value === 'boolean') return folded(String(value));
  if (value instanceof ExactNumber) return folded(value.toString());
  if (Array.isArray(value)) return (value as readonly unknown[]).map(foldedValue);
  if (typeof value !== 'object' || value === null) return value;
  return { members: Object.entries(value).map(([name, inside]) => [name, foldedValue(inside)]) };
}
