/** Documents: relative links and their anchors resolve, every page is reached from the README, and no page is too long. */
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'extension/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const isGenerated = (page: string): boolean => page.startsWith('docs/reference/');

/** Links outside code, without those of pictures and of other sites. */
const linksOf = (page: string): string[] =>
  [...withoutCode(page).matchAll(/(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [target],
  );
const withoutCode = (page: string): string => read(page).replace(/^```[^]*?^```/gm, '');

const resolveLink = (page: string, target: string): { path: string; anchor: string | undefined } => {
  const [file = '', anchor] = target.split('#');
  return { path: file === '' ? page : normalize(join(dirname(page), file)), anchor };
};

const anchorsOf = (page: string): string[] =>
  [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );

/** The most lines that a page written by hand may have. */
const limitOf = (page: string): number => {
  if (page === 'README.md') return 150;
  return page.startsWith('docs/how-to/') ? 120 : 400;
};

describe('documentation pages', () => {
  for (const page of pages) {
    it(`${page} links to files and headings that exist`, () => {
      for (const target of linksOf(page)) {
        const { path, anchor } = resolveLink(page, target);
        expect(existsSync(join(ROOT, path)), target).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(path), target).to.include(anchor);
      }
    });
  }

  it('are short if written by hand', () => {
    const long = pages.filter((page) => !isGenerated(page) && read(page).split('\n').length - 1 > limitOf(page));
    expect(long).to.deep.equal([]);
  });

  it('are all reachable by links from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const target of linksOf(page)) {
        const { path } = resolveLink(page, target);
        if (path.endsWith('.md')) reached.add(path);
      }
    }
    const unreached = pages.filter((page) => page.startsWith('docs/') && !reached.has(page));
    expect(unreached).to.deep.equal([]);
  });
});
