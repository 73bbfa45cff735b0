/** Requests of panels to the language server: all resources with their locations, and the request of one of them. */
import { expect } from 'chai';
import { pathToFileURL } from 'node:url';
import type { ListedResource, RequestShapeResult, ServedProject } from '../../language-server/features/requests.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const SIGN_UP = `[
  // emoji 😀 before
  {
    "id": "\\u0073ign-up", "resource": "sign-up/:team",
    "actionables": [{
      "id": 1, "mode": "RETURN", "value": "$PAYLOAD.email",
      "payload_validation": [{ "field": { "email": { "type": "EMAIL" }, "age": { "type": "NUMBER", "min": 18, "optional": true } } }]
    }]
  },
  { "id": "broken", "resource": "broken", "actionables": [{ "id": 1, "mode": "RETRUN" }] }
]`;

describe('language server: requests of panels', () => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await openEditor({
      files: { 'definitions/a.json': SIGN_UP, 'lintel.config.json': '{"http": {"port": 9191}}' },
    });
  });
  afterEach(() => editor.close());
  const all = (): Promise<ListedResource[]> => editor.client.sendRequest('lintel/resources');
  const requestShape = (resource: unknown, folder?: string): Promise<RequestShapeResult | null> =>
    editor.client.sendRequest('lintel/request', { resource, ...(folder !== undefined && { folder }) });

  it('lists all resources with their locations', async () => {
    const [first, second] = await all();
    expect(first).to.deep.include({ id: 'sign-up', path: 'sign-up/:team', sound: true });
    expect(first?.uri).to.equal(editor.toUri('definitions/a.json'));
    expect(first?.folder).to.equal(pathToFileURL(editor.folder).href);
    expect(first?.range.start).to.deep.equal({ line: 3, character: 10 });
    expect(first?.actions['sign-up#1']?.start).to.deep.equal({ line: 4, character: 20 });
    expect(second).to.deep.include({ id: 'broken', sound: false });
  });

  it('describes a request by id and by path, with the port of the config', async () => {
    const shape = await requestShape('sign-up', pathToFileURL(editor.folder).href);
    expect(shape).to.deep.include({ id: 'sign-up', path: '/sign-up/:team', sound: true });
    const [project] = await editor.client.sendRequest<readonly ServedProject[]>('lintel/projects');
    expect(project).to.deep.include({ folder: pathToFileURL(editor.folder).href, port: 9191 });
    expect(shape?.methods[0]).to.equal('POST');
    expect(shape?.payload).to.deep.equal({ email: 'ada@example.com' });
    expect(shape?.optional).to.deep.equal({ age: 18 });
    expect(shape?.parameters).to.deep.equal([{ name: 'team', sample: 'text' }]);
    expect((await requestShape('sign-up/:team'))?.id).to.equal('sign-up');
  });

  it('describes the text as it is typed', async () => {
    editor.open('definitions/a.json', SIGN_UP.replace('"age"', '"years"'));
    expect((await requestShape('sign-up'))?.optional).to.deep.equal({ years: 18 });
  });

  it('returns nothing for unknown ids and invalid parameters', async () => {
    expect(await requestShape('nowhere')).to.equal(null);
    expect(await requestShape('sign-up', 'file:///elsewhere')).to.equal(null);
    expect(await requestShape(7)).to.equal(null);
    expect(await editor.client.sendRequest('lintel/request', null)).to.equal(null);
    expect((await requestShape('broken'))?.sound).to.equal(false);
  });

  it('responds for every prefix of a file', async () => {
    for (let end = 0; end < SIGN_UP.length; end += 17) {
      editor.open('definitions/a.json', SIGN_UP.slice(0, end));
      await all();
      await requestShape('sign-up');
    }
  });
});
