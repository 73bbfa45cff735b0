/** Completion in the config file: sections, plugins and their options, names that the project knows. */
import { expect } from 'chai';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'lintel.config.json';

describe('language server: completion in the config', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ files: { '.env': 'REDIS_URL=redis://secret\n', 'parts/a.model.json': '{}' } });
  });
  after(() => editor.close());
  const complete = (text: string) => editor.requestCompletion(FILE, text);

  it('offers sections, its own and those of kinds', async () => {
    const { labels, accept } = await complete('{ ‸ }');
    expect(labels).to.include.members(['http', 'connections', 'cache', 'queue', 'profile']);
    expect(accept('migrate')).to.equal('{ "migrate": false }');
  });

  it('offers the plugins of a section by name, and whole with what they need', async () => {
    const { labels, accept } = await complete('{ "cache": ‸ }');
    expect(labels).to.include.members(['memory', 'redis', '{ redis }']);
    expect(accept('memory')).to.equal('{ "cache": "memory" }');
    expect(accept('{ redis }')).to.equal('{ "cache": { "use": "redis", "url": "$ENV.REDIS_URL" } }');
    expect((await complete('{ "queue": { "use": "‸" } }')).labels).to.include.members([
      'embedded',
      'postgres',
      'redis',
    ]);
  });

  it('offers a new instance of every plugin', async () => {
    const { accept } = await complete('{ "connections": { ‸ } }');
    expect(accept('new pglite')).to.equal('{ "connections": { "name": { "use": "pglite" } } }');
  });

  it('offers options, environment variables in them, and declared connections', async () => {
    const { labels } = await complete('{ "cache": { "use": "redis", "‸" } }');
    expect(labels).to.include.members(['url', 'prefix']).and.not.include('use');
    const url = await complete('{ "cache": { "use": "redis", "url": "$ENV.‸" } }');
    expect(url.accept('REDIS_URL')).to.equal('{ "cache": { "use": "redis", "url": "$ENV.REDIS_URL" } }');
    expect(JSON.stringify(url.items)).not.to.include('secret');
    const queue =
      '{ "connections": { "main": "pglite", "jobs": { "use": "pglite" } }, "queue": { "use": "embedded", "connection": ‸ } }';
    expect((await complete(queue)).labels).to.include.members(['main', 'jobs']);
  });

  it('offers globs, plugin folders, plugin ids, response headers and claims', async () => {
    expect((await complete('{ "definitions": ["‸"] }')).labels).to.include('definitions/**/*.json');
    expect((await complete('{ "plugins": ["‸"] }')).labels).to.include('builtin:*');
    expect((await complete('{ "disable": ["‸"] }')).labels).to.include.members(['generator:UUID', 'generator:*']);
    expect((await complete('{ "http": { "headers": { "‸" } } }')).labels).to.include('content-security-policy');
    expect((await complete('{ "http": { "methods": ["‸"] } }')).labels).to.include.members(['GET', 'POST']);
    expect((await complete('{ "profile": ‸ }')).accept('sub0')).to.equal('{ "profile": "sub0" }');
  });
});
