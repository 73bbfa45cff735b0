/**
 * Where there is more to read: the page of a code, and those of the reference. The config's `docs` is the address under
 * which they stand; where it is none that can be opened, the pages that `lintel docs` wrote into the project.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.js';
import { uriOf } from './uri.js';

/** Where `lintel docs` puts its pages. */
const FOLDER = join('docs', 'reference');

const base = (project: Project): string | null => {
  // As long as nobody knows the config, there is no link.
  if (!project.isRead) return null;
  const { docs } = project.config;
  // It may stand in a link, which nothing in it must end.
  return /^https?:\/\/[^\s<>\\]+$/i.test(docs) && URL.canParse(docs) ? docs : null;
};

/** The address that answers give as the type of a problem of this code. */
export function pageOfCode(project: Project, code: string): string | null {
  const docs = base(project);
  return docs === null ? null : docs + code;
}

/** `page`: `grammar`, `config`, `kinds/<kind>`; `section`: a heading on it. */
export function pageOfReference(project: Project, page: string, section?: string): string | null {
  const docs = base(project);
  const file = join(project.folder, FOLDER, ...`${page}.md`.split('/'));
  const address = docs !== null ? `${docs}${page}.md` : existsSync(file) ? uriOf(file) : null;
  if (address === null) return null;
  return section === undefined ? address : `${address}#${anchorOf(section)}`;
}

/** As the usual renderers make it of a heading. */
const anchorOf = (heading: string): string =>
  encodeURIComponent(
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
