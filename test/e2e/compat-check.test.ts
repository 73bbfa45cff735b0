/**
 * Definitions of a real application that ran on another system of the interface, checked as their authors wrote them: the
 * only errors are plugins that are not here, and no statement is doubted. Skipped where the files are not at hand.
 */
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../../kernel/contract/problem.js';
import { loadDefinitions, loadProject } from '../../kernel/runtime/project.js';
import { ROOT, tempProject } from '../support/project.js';

const SOURCE = join(ROOT, '..', 'shared', 'compat', 'soforotto');
const ENV = {
  JWT_SECRET_KEY: 'k3-Jd92-mmQ8-x0a1-92jd-Kw81-0aJ2',
  ANTHROPIC_API_KEY: 'x',
  LOWKEY_AI_SYSTEM_PROMPT: 'x',
};

/** What may be missing: names that plugins bring, and fields of such plugins. */
const MAY_BE_ABSENT = new Set([
  'tokenize',
  'protected',
  'verify_hashables',
  'broadcast_websocket_message',
  'HTTPREQUEST',
  'ARRAY',
  'STRINGARRAY',
  'arr_length',
  'items_min_length',
  'items_max_length',
  'KSUID',
  'fts',
]);

describe('definitions of others (check)', function () {
  let problems: readonly Problem[] = [];

  before(async function () {
    if (!existsSync(SOURCE)) return this.skip();
    const files = { 'lintel.config.json': { profile: 'sub0', definitions: ['apis/*.json', 'models/*.json'] } };
    const project = await tempProject(files);
    try {
      await cp(SOURCE, project.folder, { recursive: true });
      const loaded = await loadProject(project.folder, undefined, ENV);
      if (loaded.config === null) throw new Error('the config is not sound');
      ({ problems } = await loadDefinitions(loaded, loaded.config));
    } finally {
      await project.dispose();
    }
  });

  const shown = (severity: Problem['severity']): string[] =>
    problems.filter((one) => one.severity === severity).map(({ code, message }) => `${code} ${message}`);

  it('has no error but plugins that are not here', () => {
    const other = shown('error').filter(
      (text) =>
        !text.startsWith('DEF_UNKNOWN_') ||
        ![...text.matchAll(/"([^"]+)"/g)].some(([, name = '']) => MAY_BE_ABSENT.has(name)),
    );
    expect(other).to.deep.equal([]);
  });

  it('has no warning but of writes that any administrator may make', () => {
    expect(shown('warning').filter((text) => !text.startsWith('SEC_NO_OWNER '))).to.deep.equal([]);
  });

  it('has its literal recognised', () => {
    expect(shown('hint')).to.deep.equal(['LNK_LITERAL "new" names nothing in this resource, so it is the text "new".']);
  });
});
