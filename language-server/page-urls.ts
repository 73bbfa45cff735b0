/** Pages below the config's `docs` URL, otherwise those that `lintel docs` wrote. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.js';
import { toFileUri } from './uri.js';

/** Output folder of `lintel docs`. */
const FOLDER = join('docs', 'reference');

const getDocsUrl = (project: Project): string | null => {
  // Without the config there are no links.
  if (!project.isRead) return null;
  const { docs } = project.config;
  // Used inside a Markdown link, so it must not contain characters that end it.
  return /^https?:\/\/[^\s<>\\]+$/i.test(docs) && URL.canParse(docs) ? docs : null;
};

/** The URL that error responses use as the problem type of this code. */
export function findCodePage(project: Project, code: string): string | null {
  const docs = getDocsUrl(project);
  return docs === null ? null : docs + code;
}

/** `page`: `grammar`, `config`, `kinds/<kind>`; `section`: a heading on the page. */
export function findReferencePage(project: Project, page: string, section?: string): string | null {
  const docs = getDocsUrl(project);
  const file = join(project.folder, FOLDER, ...`${page}.md`.split('/'));
  const address = docs !== null ? `${docs}${page}.md` : existsSync(file) ? toFileUri(file) : null;
  if (address === null) return null;
  return section === undefined ? address : `${address}#${toAnchor(section)}`;
}

/** The anchor that common Markdown renderers generate for a heading. */
const toAnchor = (heading: string): string =>
  encodeURIComponent(
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
