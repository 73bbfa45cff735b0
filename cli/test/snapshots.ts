/** Writes the snapshots of `lintel test --update` into the test files; their comments and layout stay. */
import { resolve } from 'node:path';
import { createDocument, type Document } from '../../language/source/document.js';
import { replaceJson } from '../../language/source/replace-json.js';
import { readText, writeText } from '../files.js';
import type { SnapshotUpdate } from './outcome.js';

/** Returns the files that were changed. Rejects where one was changed since it was read. */
export async function writeSnapshots(cwd: string, updates: readonly SnapshotUpdate[]): Promise<readonly string[]> {
  const texts = new Map<Document, string>();
  for (const { definition, pointer, value } of updates) {
    const { doc } = definition;
    const text = texts.get(doc) ?? doc.text;
    texts.set(doc, replaceJson(createDocument(doc.file, text), pointer, value));
  }
  const files = new Map<Document, Document[]>();
  for (const doc of texts.keys()) {
    const whole = getWhole(doc);
    files.set(whole, [...(files.get(whole) ?? []), doc]);
  }
  for (const [whole, docs] of files) {
    const path = resolve(cwd, whole.file);
    if ((await readText(path)) !== whole.text)
      throw new Error(`${whole.file} was changed while its cases ran; no snapshot was written into it`);
    // The last one first, so that the places of the others stay.
    const ordered = [...docs].sort((a, b) => getStart(b) - getStart(a));
    const text = ordered.reduce((rest, doc) => {
      const start = getStart(doc);
      return rest.slice(0, start) + (texts.get(doc) ?? doc.text) + rest.slice(start + doc.text.length);
    }, whole.text);
    await writeText(path, text);
  }
  return [...files.keys()].map(({ file }) => file);
}

/** A definition may be a part of its file. */
const getWhole = (doc: Document): Document => (doc.within === null ? doc : getWhole(doc.within.doc));

const getStart = ({ within }: Document): number => (within === null ? 0 : within.start + getStart(within.doc));
