/** What is generated from the specs is current, and its snippets are JSON whatever stands around them. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated } from '../../extension/tools/generated.js';
import type { Snippet } from '../../extension/tools/snippets.js';
import { readJsonc } from '../../extension/src/jsonc.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, 'extension', name), 'utf8');
const snippets = JSON.parse(read('snippets/lintel.json')) as Readonly<Record<string, Snippet>>;

/** What is there when every stop is left as it is. */
const acceptSnippet = ({ body }: Snippet): string =>
  body
    .join('\n')
    .replace(/\$\{\d+:((?:\\.|[^\\}])*)\}/g, (_, text: string) => text)
    .replace(/\\([\\$}])/g, '$1');

describe('extension: generated files', () => {
  it('are what the specs say now; `npm run generate` fixes them', async () => {
    const files = await generated();
    expect([...files].filter(([name, text]) => read(name) !== text).map(([name]) => name)).to.deep.equal([]);
  });

  for (const [name, snippet] of Object.entries(snippets)) {
    it(`snippet "${name}" is JSON`, () => {
      const text = acceptSnippet(snippet);
      const isWhole = /^([{[]|\/\/)/.test(text);
      const json = readJsonc(isWhole ? text : `{${text}}`);
      expect(json, text).to.be.an(text.replace(/^\/\/.*\n/, '').startsWith('[') ? 'array' : 'object');
      expect(Object.keys(json as object).length).to.be.greaterThan(0);
    });
  }

  it('there is a snippet for every plugin that is written as an object', () => {
    const registry = createBuiltinRegistry();
    const missing = [...registry.plugins.values()].filter(({ kind, name }) => {
      const by = registry.kind(kind)?.select.by;
      if (by === 'name' || by === 'root') return false;
      return !Object.values(snippets).some(({ prefix }) => prefix.endsWith(` ${name}`));
    });
    expect(missing.map(({ kind, name }) => `${kind}:${name}`)).to.deep.equal([]);
  });

  it('the caret stops at values, never at what chooses a plugin', () => {
    const field = snippets['mode RETURN: A health check']?.body.join('\n') ?? '';
    expect(field)
      .to.contain('"mode": "RETURN"')
      .and.match(/"id": \$\{\d:2\}/);
    expect(field).to.contain('\\$DATETIME');
    const model = snippets['field type String: A unique address']?.body.join('\n') ?? '';
    expect(model).to.match(/^"\$\{1:example\}": \{/);
  });
});
