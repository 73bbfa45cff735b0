/**
 * The how-to pages, executed: the definitions, the config and the plugins of a page load without an error or a warning,
 * and each request gets the response that follows it.
 */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asText, isObject } from '../../contract/json.js';
import { createDocument } from '../../language/source/document.js';
import { toJson } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { linkPackage, listBlocks, listNamedFiles, performExchange } from '../support/docs-page.js';
import { ROOT } from '../support/project.js';

const ENV = {
  TOKEN_KEY: 'a key of the page, 48 characters: k3Qw9zL0pTs7xVb',
  SENDER_SECRET: 'a secret of the page: w7Rk2Lm9Xz4Tq',
  SHORT_KEY: 'k3Qw9zL0pTs7xVb8',
  FIELD_KEY: 'k3Qw9zL0pTs7xVb8a key of fields!',
  MAIL_KEY: 'a key of the mail service: Tz4Rk9Qb',
  S3_ACCESS_KEY: 'GK4d7f1a9c3e5b8d2f',
  S3_SECRET_KEY: 'Wx7Rk2Lm9Xz4TqNb5Vc8Yd1Fg6Hj3Kp0',
};
/** A server that a page names but a test does not have. */
const ABSENT = new Set(['minio']);

function parseConfig(text: string | undefined): Readonly<Record<string, unknown>> {
  const { root } = parseSource(createDocument('lintel.config.json', text ?? '{}'));
  const config = root === null ? null : toJson(root);
  expect(isObject(config), text).to.equal(true);
  return config as Readonly<Record<string, unknown>>;
}

const omitAbsent = (config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).filter(([, value]) => !(isObject(value) && ABSENT.has(asText(value['use'])))),
  );

for (const name of readdirSync(join(ROOT, 'docs/how-to'))) {
  const page = `how-to/${name}`;
  const { 'lintel.config.json': config, ...files } = Object.fromEntries(listNamedFiles(page));
  if (config === undefined && Object.keys(files).length === 0) continue;

  describe(`documentation page ${page}`, () => {
    const names = new Map<string, string>();
    let kernel: TestKernel;
    before(async () => {
      kernel = await startKernel({
        files: { 'definitions/none.json': [], ...files },
        config: { ...omitAbsent(parseConfig(config)), connections: { main: { use: 'pglite', path: 'memory://' } } },
        env: ENV,
        prepare: linkPackage,
      });
    });
    after(() => kernel.close());

    it('shows definitions without an error or a warning', () => {
      const problems = kernel.kernel.problems().filter(({ severity }) => severity !== 'hint');
      expect(problems.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([]);
    });

    const exchanges = listBlocks(page).flatMap(({ language, text }) =>
      language === 'http' ? text.trim().split('\n\n') : [],
    );
    for (const written of exchanges) {
      it(`has the documented response to ${written.split('\n')[0] ?? ''}`, () =>
        performExchange(written, names, kernel));
    }
  });
}
