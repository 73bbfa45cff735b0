/** Hover right after a keystroke: fields are described without an analysis, and the result equals that after one. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHover } from '../../language-server/features/hover.js';
import { openProject, type Project } from '../../language-server/project.js';
import { createDocumentContext } from '../../language-server/document-context.js';
import { ROOT } from '../support/project.js';
import { isDeep } from '../support/sample.js';

const FILES = ['models/_users.model.json', 'resources/sign-in.resource.json', 'resources/wallet.resource.json'];
/** Characters between two positions. */
const STEP = isDeep('editor') ? 47 : 170;

describe('language server: hover during typing', () => {
  let project: Project;
  before(async () => {
    project = await openProject(ROOT, { trusted: () => false }).loaded;
    await project.waitForParser();
  });

  const resolveFile = (file: string): string => join(ROOT, 'definitions', file);
  const hover = (name: string, offset: number): unknown => {
    const view = createDocumentContext(project, name);
    if (view === null) throw new Error('no view');
    return findHover(view, offset);
  };

  it('describes fields, plugins and values, and analyses nothing', () => {
    const name = resolveFile('resources/sign-in.resource.json');
    const text = readFileSync(name, 'utf8');
    project.getSnapshot();
    project.setText(name, `${text} `);
    expect(project.getComputedSnapshot()).to.equal(null);
    for (const [word, expected] of [
      ['"actionables"', 'actionables'],
      ['"mode"', 'mode'],
      ['"QUERY"', 'QUERY'],
    ] as const) {
      expect(JSON.stringify(hover(name, text.indexOf(word) + 2)), word).to.include(expected);
    }
    expect(project.getComputedSnapshot(), 'an analysis').to.equal(null);
    project.setText(name, null);
  });

  it('shows the same as after the analysis', () => {
    for (const file of FILES) {
      const name = resolveFile(file);
      const text = readFileSync(name, 'utf8');
      let shown = 0;
      for (let offset = 0; offset < text.length; offset += STEP) {
        project.setText(name, text);
        project.getSnapshot();
        const settled = hover(name, offset);
        project.setText(name, `${text}\n`);
        expect(hover(name, offset), `${file} at ${offset}`).to.deep.equal(settled);
        if (settled !== null) shown++;
      }
      expect(shown, file).to.be.greaterThan(0);
      project.setText(name, null);
    }
  });
});
