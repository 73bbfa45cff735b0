/** What is generated from the specs is current, and no snippets are contributed that would stand in every list. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated } from '../../extension/tools/generated.js';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, 'extension', name), 'utf8');

describe('extension: generated files', () => {
  it('are what the specs say now; `npm run generate` fixes them', async () => {
    const files = await generated();
    expect([...files].filter(([name, text]) => read(name) !== text).map(([name]) => name)).to.deep.equal([]);
  });

  it('are no snippets: the server offers patterns where they fit', () => {
    const { contributes } = JSON.parse(read('package.json')) as { readonly contributes: object };
    expect(contributes).not.to.have.property('snippets');
  });
});
