/**
 * Parses a long JSON text in parts, so that other work can be done between two. A part is some neighbouring children of one
 * container. Each byte is parsed once; `JSON.parse` decides what is valid.
 */
import { createFault } from '../../contract/fault.js';
import { POISON_KEYS } from '../../contract/json.js';

const PART_BYTES = 131_072;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

const throwMalformed = (): never => {
  throw createFault('REQ_MALFORMED');
};

type ParseText = (text: string) => unknown;
export type DecodeBytes = (from: number, to: number) => string;

/** A text of at most eight parts is one, and so is a single value without a comma. */
export function* parseParts(
  bytes: Uint8Array,
  decode: DecodeBytes,
  parse: ParseText,
  size = PART_BYTES,
): Generator<void, unknown> {
  if (bytes.length <= 8 * size) return parse(decode(0, bytes.length));
  const reader = new PartReader(bytes, decode, parse);
  while (reader.readPart(size)) yield;
  return reader.finishText();
}

class PartReader {
  private readonly whole = new Container(LIST, -1, []);
  private readonly stack = [this.whole];
  private at = 0;
  private takenAt = 0;
  private inString = false;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly decode: DecodeBytes,
    private readonly parse: ParseText,
  ) {}

  /** False at the end. V8 optimizes the loop of a generator late. */
  readPart(size: number): boolean {
    const { bytes, stack } = this;
    const until = Math.min(this.at + size, bytes.length);
    let top = stack.at(-1) ?? this.whole;
    let i = this.at;
    let isTaken = false;
    for (; i < bytes.length && !isTaken; i++) {
      const byte = bytes[i] as number;
      if (byte === QUOTE || this.inString) {
        if (!this.inString) i++;
        const end = Math.max(until, i) + size + 1;
        while (i < end && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
        this.inString = i >= end;
        if (this.inString) break;
      } else if (byte === OBJECT || byte === LIST) {
        stack.push((top = new Container(byte, i, null)));
      } else if (byte === OBJECT_END || byte === LIST_END) {
        this.close(top, byte, i);
        top = stack.at(-1) ?? this.whole;
      } else if (byte === COMMA) {
        top.childAt = i + 1;
        isTaken = i - this.takenAt >= size;
      }
    }
    this.at = i;
    if (isTaken) {
      this.takenAt = i;
      this.takeParts();
    }
    return i < bytes.length;
  }

  finishText(): unknown {
    const { bytes, whole, stack } = this;
    if (whole.from === 0) return this.parse(this.decode(0, bytes.length));
    if (stack.length > 1) throwMalformed();
    whole.takeRest(this.decode(whole.from, bytes.length), this.parse);
    const [value, ...others] = whole.value as unknown[];
    return value === undefined || others.length > 0 ? throwMalformed() : value;
  }

  /** The codes of brackets that belong together differ by two. */
  private close(top: Container, byte: number, at: number): void {
    if (top === this.whole || byte !== top.opening + 2) throwMalformed();
    this.stack.pop();
    if (top.value === null) return;
    top.takeRest(this.decode(top.from, at), this.parse);
    const parent = this.stack.at(-1) ?? this.whole;
    parent.from = parent.childAt = at + 1;
  }

  private takeParts(): void {
    const { stack, decode, parse } = this;
    for (const [at, container] of stack.entries()) {
      const next = stack[at + 1];
      container.takeChildren(decode(container.from, container.childAt), parse);
      if (next?.value === null) container.addOpen(next, decode(container.childAt, next.at), parse);
    }
  }
}

const BLANK = /^[ \t\r\n]*$/;
const SEPARATOR = /^[ \t\r\n]*,/;

class Container {
  /** Where the text begins that was not parsed, and where the last child begins. */
  from: number;
  childAt: number;
  private before: 'nothing' | 'comma' | 'child' = 'nothing';

  /** `value`: null while all of it belongs to a part. */
  constructor(
    readonly opening: number,
    readonly at: number,
    public value: unknown[] | Record<string, unknown> | null,
  ) {
    this.from = this.childAt = at + 1;
  }

  /** `text` is empty, or ends with a comma. */
  takeChildren(text: string, parse: ParseText): void {
    const children = this.skipSeparator(text);
    this.from = this.childAt;
    if (children === '') return;
    this.add(children.slice(0, -1), parse);
    this.before = 'comma';
  }

  takeRest(text: string, parse: ParseText): void {
    const children = this.skipSeparator(text);
    if (!BLANK.test(children)) this.add(children, parse);
    else if (this.before === 'comma') throwMalformed();
  }

  /** `head`: what precedes the child, which is the name in an object. */
  addOpen(child: Container, head: string, parse: ParseText): void {
    const value = child.opening === LIST ? [] : {};
    if (this.before === 'child') throwMalformed();
    this.before = 'child';
    child.value = value;
    if (Array.isArray(this.value)) {
      if (!BLANK.test(head)) throwMalformed();
      this.value.push(value);
      return;
    }
    const named = parse(`{${head}null}`) as Record<string, unknown>;
    const [name, ...others] = Object.keys(named);
    if (name === undefined || others.length > 0) throwMalformed();
    else this.setMember(name, value);
  }

  private skipSeparator(text: string): string {
    if (this.before !== 'child' || BLANK.test(text)) return text;
    const separator = SEPARATOR.exec(text)?.[0] ?? throwMalformed();
    this.before = 'comma';
    return text.slice(separator.length);
  }

  private add(text: string, parse: ParseText): void {
    if (BLANK.test(text)) throwMalformed();
    if (Array.isArray(this.value)) for (const item of parse(`[${text}]`) as unknown[]) this.value.push(item);
    else for (const [name, value] of Object.entries(parse(`{${text}}`) as object)) this.setMember(name, value);
  }

  private setMember(name: string, value: unknown): void {
    if (POISON_KEYS.has(name)) throw createFault('REQ_NAME_REFUSED');
    (this.value as Record<string, unknown>)[name] = value;
  }
}
