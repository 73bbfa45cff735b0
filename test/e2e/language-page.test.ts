/**
 * The pages about the language, executed: all their definitions load as one project without a problem, and each request
 * gets the response that follows it.
 */
import { expect } from 'chai';
import { isObject } from '../../contract/json.js';
import { toJson } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { createDocument } from '../../language/source/document.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { EXCHANGE, LANGUAGE_PAGES, pageText, performExchange } from '../support/docs-page.js';
import { createJsonBehaviour, startStandIn, type StandIn } from '../support/upstream.js';

const PAGE = LANGUAGE_PAGES.map(pageText).join('\n');
const fenced = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

const shown = fenced('json').map((text) => {
  const { root } = parseSource(createDocument('language.md', text));
  return root === null ? null : toJson(root);
});
/** A problem document is a response, and the config is not a definition. */
const config = shown.find((json) => isObject(json) && 'http' in json);
const definitions = shown.filter((json) => json !== config && !(isObject(json) && 'status' in json));

const exchanges = fenced('http').flatMap((text) =>
  text
    .trim()
    .split('\n\n')
    .map((written) => ({ written, parts: EXCHANGE.exec(written) })),
);

describe('documentation pages about the language', () => {
  const names = new Map<string, string>();
  let kernel: TestKernel | undefined;
  let remote: StandIn | undefined;

  before(async function () {
    remote = await startStandIn(['api.example.com'], (req, res, asked) => {
      const currency = asked.url.slice('/rates/'.length);
      createJsonBehaviour({ currency, rate: 1.25, source: 'x' }, currency === 'broken' ? 500 : 200)(req, res, asked);
    });
    const files = definitions.map((one, index) => [`definitions/${index}.json`, one] as const);
    kernel = await startKernel({
      files: { ...Object.fromEntries(files), ...remote.files },
      config: {
        ...(config as object),
        websocket: { enabled: true },
        connections: { main: { use: 'pglite', path: 'memory://' } },
        outbound: remote.outbound,
      },
      env: {
        TOKEN_KEY: 'a key of the page, 48 characters: k3Qw9zL0pTs7xVb',
        SENDER_SECRET: 'a secret of the page: w7Rk2Lm9Xz4Tq',
        FIELD_KEY: 'a field key of the page: Hn7Yd2W',
        BLIND_INDEX_KEY: 'an index key of the page: Rk4Tz9Qb',
        RATES_KEY: 'a key of the other service',
      },
    });
  });
  after(async () => {
    await kernel?.close();
    await remote?.upstream.close();
  });

  it('show only definitions without errors and warnings', () => {
    expect(shown).not.to.include(null);
    expect(definitions.flat().length).to.be.greaterThan(12);
    const problems = kernel?.kernel.problems().filter(({ severity }) => severity !== 'hint');
    expect(problems?.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([]);
  });

  it('show only valid requests', () => {
    expect(exchanges.filter(({ parts }) => parts === null).map(({ written }) => written)).to.deep.equal([]);
    expect(exchanges.length).to.be.greaterThan(15);
  });

  for (const { written } of exchanges) {
    it(`have the documented response to ${written.split('\n')[0] ?? ''}`, async () => {
      if (kernel === undefined) throw new Error('the kernel did not start');
      await performExchange(written, names, kernel);
    });
  }

  it('name only existing codes and statuses', () => {
    const { codes } = createBuiltinRegistry();
    const rows = [...PAGE.matchAll(/^\| (\d{3}) +\| (`[^|]*)\|/gm)];
    const reported = rows.flatMap(([, status, list = '']) =>
      [...list.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => `${code} ${status}`),
    );
    const known = Object.entries(codes).flatMap(([code, entry]) =>
      entry.status === undefined ? [] : [`${code} ${entry.status}`],
    );
    // Startup errors have no request.
    const unseen = [
      'CCH_ADDRESS',
      'CRN_ADDRESS',
      'QRY_CONNECT',
      'RLY_ADDRESS',
      'QRY_DUPLICATES',
      'QRY_MIGRATION',
      'QRY_REPLICA',
      'QRY_SCRIPT',
      'STO_FOLDER',
      'STO_OPEN',
    ];
    // So are those that are noted of work, and the addresses of queues.
    const ofQueues =
      /^JOB_(?:BROKEN|CHANGED|FAILED|LOST|STOPPED|UNKNOWN|NOT_EMBEDDED|(?:[A-Z]+_)?(?:ADDRESS|REFUSED))$/;
    const isUnseen = (code: string): boolean => unseen.includes(code) || ofQueues.test(code);
    expect(reported.sort()).to.deep.equal(known.filter((row) => !isUnseen(row.split(' ')[0] ?? '')).sort());
  });
});
