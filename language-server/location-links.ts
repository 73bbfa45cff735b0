/** Formats locations as links that an editor opens: `definitions/a.json:12`. */
import { join } from 'node:path';
import { positionAt, type Document } from '../language/source/document.js';
import type { Project } from './project.js';
import { toCodeSpan } from './safe-markdown.js';
import { toFileUri } from './uri.js';

/** `start`: offset in the document. */
export function formatLocationLink(project: Project, doc: Document, start: number): string {
  const line = positionAt(doc, start).line + 1;
  return formatFileLink(join(project.folder, doc.file), doc.file, line);
}

/** `name`: absolute; `line`: 1-based. */
export function formatFileLink(name: string, shown: string, line: number): string {
  // Angle brackets, so that no character of the URL ends the link.
  const label = `${shown}:${line}`.replace(/[\\[\]`*_<>]/g, (character) => `\\${character}`);
  return /[\r\n]/.test(shown) ? toCodeSpan(shown) : `[${label}](<${toFileUri(name)}#L${line}>)`;
}
