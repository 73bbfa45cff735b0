/** Generated files match the specs, and no snippets are contributed, which would be in every list. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated } from '../../extension/tools/generated.js';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, 'extension', name), 'utf8');

describe('extension: generated files', () => {
  it('match the specs; `npm run generate` updates them', async () => {
    const files = await generated();
    expect([...files].filter(([name, text]) => read(name) !== text).map(([name]) => name)).to.deep.equal([]);
  });

  it('contain no snippets, because the server offers patterns', () => {
    const { contributes } = JSON.parse(read('package.json')) as { readonly contributes: object };
    expect(contributes).not.to.have.property('snippets');
  });
});
