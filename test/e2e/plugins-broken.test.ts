/** Error messages for plugin authors: every mistake is reported with the plugin, at startup or in the log. */
import { join } from 'node:path';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { formatError } from '../../cli/format-error.js';
import { omitColor } from '../../cli/colors.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';

const start = (folder: string, value: unknown, config: object = {}): Promise<TestKernel> =>
  startKernel({
    files: { 'definitions/a.json': defineReturnResource('r', value) },
    config: { ...config, plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'broken', folder)] },
  });

async function catchBootError(work: Promise<TestKernel>): Promise<BootError> {
  try {
    const kernel = await work;
    await kernel.close();
  } catch (error) {
    expect(error).to.be.instanceOf(BootError);
    return error as BootError;
  }
  throw new Error('the kernel started');
}

describe('invalid plugins', () => {
  /** Folder, its use, the code, and words that the explanation must contain. */
  const USED: readonly (readonly [folder: string, code: string, ...words: string[]])[] = [
    ['no-method', 'PLG_HANDLE', 'generator:NOMETHOD', '"next"'],
    ['no-runtime', 'PLG_NO_RUNTIME', 'generator:NORUNTIME', 'runtime.js'],
    ['unknown-hook', 'KRN_HOOK', 'generator:UNKNOWNHOOK', '"before-validat"', 'Did you mean "before-validate"?'],
    ['late-tap', 'KRN_SEALED', 'generator:LATETAP', '"accept"'],
    ['no-mode', 'KRN_TAP', 'generator:NOMODE', '"execute"', 'mode'],
    ['tap-before', 'KRN_TAP', 'generator:TAPBEFORE', 'witness:nobody'],
    ['configure-nothing', 'KRN_TAP', 'generator:CONFIGURENOTHING', 'returns nothing'],
    ['open-fails', 'PLG_OPEN', 'generator:OPENFAILS', 'could not open: no such device'],
    ['open-throws', 'PLG_OPEN', 'generator:OPENTHROWS', 'could not open: no such device'],
    ['create-throws', 'PLG_OPEN', 'generator:CREATETHROWS', 'bad options'],
    ['register-throws', 'PLG_OPEN', 'generator:REGISTERTHROWS', 'bad mood'],
    ['ready-throws', 'PLG_OPEN', 'generator:READYTHROWS', 'not today'],
    ['import-fails', 'PLG_NOT_FOUND', 'runtime.js', 'a missing library'],
    ['no-default', 'PLG_NOT_FOUND', 'runtime.js', 'no default export'],
  ];
  it('report an ES module in a package of another type with the solution', async () => {
    const files = { 'package.json': { type: 'commonjs' }, 'mine/spec.js': 'import "node:fs";\nexport default {};\n' };
    const error = await catchBootError(startKernel({ files, config: { plugins: ['builtin:*', './mine'] } }));
    expect(error.code).to.equal('PLG_NOT_FOUND');
    expect(formatError(error, omitColor)).to.contain('spec.js').and.contain('.mjs').and.contain('"type": "module"');
  });

  for (const [folder, code, ...words] of USED) {
    it(`${folder}: report ${code}, and only if used`, async () => {
      const name = folder.replaceAll('-', '').toUpperCase();
      const error = await catchBootError(start(folder, `$GENERATOR.${name}`));
      expect(error.code).to.equal(code);
      for (const word of words) expect(formatError(error, omitColor)).to.contain(word);
      const unused = await start(folder, 1);
      expect((await unused.post('/r')).body).to.equal(1);
      await unused.close();
    });
  }

  /** These cannot be had at all. */
  const LOADED: readonly (readonly [folder: string, code: string, ...words: string[]])[] = [
    ['nowhere', 'PLG_NOT_FOUND', 'no such folder'],
    ['empty', 'PLG_NOT_FOUND', 'no spec.js or kind.js'],
    ['spec-fails', 'PLG_NOT_FOUND', 'spec.js', 'half a spec'],
    ['unknown-kind', 'PLG_UNKNOWN_KIND', 'generater:NOKIND', '"generater"'],
    ['ill-facts', 'PLG_FACTS', 'generator:ILLFACTS', '"length"', 'a number'],
    ['undocumented', 'PLG_SPEC', 'feature:undocumented', '`doc`'],
    ['taken', 'PLG_FIELD_TAKEN', 'feature:taken', 'feature:must_return_value'],
  ];
  for (const [folder, code, ...words] of LOADED) {
    it(`${folder}: report ${code}, used or not`, async () => {
      const error = await catchBootError(start(folder, 1));
      expect(error.code).to.equal(code);
      for (const word of words) expect(formatError(error, omitColor)).to.contain(word);
    });
  }

  it('report one folder named twice as a duplicate', async () => {
    const folder = join(PLUGIN_FIXTURES, 'short-code');
    const error = await catchBootError(startKernel({ config: { plugins: ['builtin:*', folder, folder] } }));
    expect(formatError(error, omitColor)).to.contain('PLG_DUPLICATE').and.contain('generator:SHORTCODE');
  });

  it('are named after the timeout if opening hangs', async () => {
    const error = await catchBootError(start('open-hangs', '$GENERATOR.OPENHANGS', { deadlines: { open: 0.2 } }));
    expect(error.code).to.equal('PLG_TIMEOUT');
    expect(formatError(error, omitColor)).to.contain('generator:OPENHANGS').and.contain('did not open within 0.2 s');
  });

  it('do not delay the end if closing hangs', async () => {
    const kernel = await start('close-hangs', '$GENERATOR.CLOSEHANGS', { deadlines: { close: 0.2 } });
    await kernel.close();
    const row = kernel.log.find(({ level }) => level === 'error');
    expect(row?.fields['plugin']).to.equal('generator:CLOSEHANGS');
  });

  for (const [folder, words] of [
    ['reply-nothing', ['generator:REPLYNOTHING', 'reply', 'returns nothing']],
    ['accept-value', ['generator:ACCEPTVALUE', 'accept', 'done(value)']],
    ['undeclared', ['generator:UNDECLARED', 'generator:UUID']],
  ] as const) {
    it(`${folder}: return 500 without details, and log plugin and error`, async () => {
      const kernel = await start(folder, `$GENERATOR.${folder.replaceAll('-', '').toUpperCase()}`);
      const { status, body, text } = await kernel.post('/r');
      expect([status, body['code']]).to.deep.equal([500, 'INT_UNEXPECTED']);
      expect(text).not.to.contain('generator:');
      const row = kernel.log.find(({ level }) => level === 'error');
      const errorText = messages(row?.fields['err']).join(' | ');
      for (const word of words) expect(errorText).to.contain(word);
      await kernel.close();
    });
  }
});

/** An error, and its cause. */
const messages = (error: unknown): string[] =>
  error instanceof Error ? [error.message, ...messages(error.cause)] : [];
