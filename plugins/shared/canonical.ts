/** Canonical forms of text: those that rules request, and a coarser one, only for counting. Pure. */
import { domainToASCII } from 'node:url';
import { ExactNumber } from '../../contract/exact-number.js';
import type { CanonicalForm } from '../validation-types/shared/canonical.light.js';

const trimText = (text: string): string => text.trim();
const toNfc = (text: string): string => text.normalize('NFC');
const toLowerText = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** `domainToASCII` would parse these characters as parts of a URL. */
const ODD = /[\s%/?#@:\\[\]]/;

function toAsciiDomain(written: string): string {
  const domain = /^[\u0021-\u007e]*$/.test(written) || ODD.test(written) ? written : domainToASCII(written) || written;
  return domain.replace(/\.+$/, '');
}

/** Full-width letters, ligatures and similar characters become the plain ones. */
const toCompatible = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');

/** An invalid domain is left unchanged, so that a rule can reject it. */
function normalizeEmail(text: string): string {
  const plain = trimText(toCompatible(text));
  const at = plain.lastIndexOf('@');
  if (at === -1) return plain;
  return plain.slice(0, at + 1) + toAsciiDomain(plain.slice(at + 1));
}

const CHANGES: Readonly<Record<CanonicalForm, (text: string) => string>> = {
  trim: trimText,
  nfc: toNfc,
  lower: toLowerText,
  email: normalizeEmail,
};

/** Null when no form is requested. Idempotent. */
export function createCanonicalizer(forms: readonly CanonicalForm[]): ((text: string) => string) | null {
  if (forms.length === 0) return null;
  const changes = forms.map((form) => CHANGES[form]);
  return (text) => changes.reduce((value, change) => change(value), text);
}

/** Invisible characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Accents, which some collations ignore. */
const ACCENTS = /[\u0300-\u036f]/g;
const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/;

/**
 * One text for all spellings: ignores case, width, accents, whitespace, invisible characters, number formats and
 * final dots of a domain. For counting only.
 */
export function foldText(text: string): string {
  const plain = foldSpelling(foldSpelling(text)).trim().replace(/\s+/g, ' ');
  if (NUMERAL.test(plain)) return normalizeNumber(plain);
  const at = plain.lastIndexOf('@');
  if (at === -1) return plain;
  // Counting ignores accents even in domains, where they matter.
  return `${plain.slice(0, at).trim()}@${toAsciiDomain(plain.slice(at + 1).trim())}`;
}

/** Upper case first: then `ß` and `SS`, the long s and the Kelvin sign have one form. */
const foldSpelling = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\t-\r]/g, ' ')
    .replace(UNSEEN, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '');

/** Numbers that are not exact keep their digits. */
function normalizeNumber(text: string): string {
  const number = Number(text);
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return String(number + 0);
  return text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
}

/** Arrays and objects keep their structure. */
export function foldValue(value: unknown): unknown {
  if (typeof value === 'string') return foldText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return foldText(String(value));
  if (value instanceof ExactNumber) return foldText(value.toString());
  if (Array.isArray(value)) return (value as readonly unknown[]).map(foldValue);
  if (typeof value !== 'object' || value === null) return value;
  return { members: Object.entries(value).map(([name, inside]) => [name, foldValue(inside)]) };
}
