/** Where something stands, as a link that an editor opens: `definitions/a.json:12`. */
import { join } from 'node:path';
import { positionAt, type Document } from '../kernel/source/document.js';
import type { Project } from './project.js';
import { inCode } from './safe-markdown.js';
import { uriOf } from './uri.js';

/** `start`: an offset in the document. */
export function placeWords(project: Project, doc: Document, start: number): string {
  const line = positionAt(doc, start).line + 1;
  return fileLink(join(project.folder, doc.file), doc.file, line);
}

/** `name`: absolute; `line` from 1. */
export function fileLink(name: string, shown: string, line: number): string {
  // In angle brackets nothing in an address ends the link.
  const label = `${shown}:${line}`.replace(/[\\[\]`*_<>]/g, (character) => `\\${character}`);
  return /[\r\n]/.test(shown) ? inCode(shown) : `[${label}](<${uriOf(name)}#L${line}>)`;
}
