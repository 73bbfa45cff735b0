/** Formats locations as links that an editor opens: `definitions/a.json:12`. */
import { join } from 'node:path';
import { positionAt, type Document } from '../language/source/document.js';
import type { Project } from './project.js';
import { inCode } from './safe-markdown.js';
import { uriOf } from './uri.js';

/** `start`: offset in the document. */
export function placeWords(project: Project, doc: Document, start: number): string {
  const line = positionAt(doc, start).line + 1;
  return fileLink(join(project.folder, doc.file), doc.file, line);
}

/** `name`: absolute; `line`: 1-based. */
export function fileLink(name: string, shown: string, line: number): string {
  // Angle brackets, so that no character of the URL ends the link.
  const label = `${shown}:${line}`.replace(/[\\[\]`*_<>]/g, (character) => `\\${character}`);
  return /[\r\n]/.test(shown) ? inCode(shown) : `[${label}](<${uriOf(name)}#L${line}>)`;
}
