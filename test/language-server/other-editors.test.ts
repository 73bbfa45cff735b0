/** Neovim and Helix with the settings that `docs/editor.md` gives for them, without a change. */
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { bareEnv } from '../support/child.js';
import { createTempProject, ROOT, type Files, type TempProject } from '../support/project.js';
import { NO_EDITORS, skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const PROGRAMS = process.env['TEST_EDITORS'];
const PAGE = readFileSync(join(ROOT, 'docs/editor.md'), 'utf8');
const FILE = 'definitions/a.resource.json';

const readSettings = (language: string, word: string): string =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))]
    .map(([, code = '']) => code)
    .find((code) => code.includes(word)) ?? '';

/** Starts the server as `npx` would, without npm. */
const NPX = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(ROOT, 'dist/bundle/cli.js')}' "$@"\n`;

const SOUND =
  '{\n  "id": "a",\n  "resource": "a",\n  "actionables": [{ "id": 1, "mode": "RETURN", "value": "here" }]\n}\n';
const WRONG = SOUND.replace('"RETURN"', '"RETURNS"');

/** Uses Neovim's own client: waits for the problem, asks what a person asks, corrects the word, and waits until it is gone. */
const DRIVE = `
local seen = {}
local function wait(what, look)
  if not vim.wait(60000, look, 10) then error(what .. ' did not come') end
end
local function find_float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
  end
end
local function drive()
  wait('a problem', function() return #vim.diagnostic.get(0) > 0 end)
  seen.problems = vim.tbl_map(function(one) return { one.lnum, one.code } end, vim.diagnostic.get(0))
  vim.fn.search('"mode"')
  vim.lsp.buf.hover()
  wait('a hover', find_float)
  seen.hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(find_float()), 0, -1, false), ' ')
  vim.fn.search('RETURNS')
  local place = vim.lsp.util.make_position_params(0, 'utf-16')
  seen.labels = {}
  for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/completion', place, 60000)) do
    for _, item in ipairs(answer.result.items) do table.insert(seen.labels, item.label) end
  end
  vim.cmd('%s/RETURNS/RETURN/')
  wait('a text without problems', function() return #vim.diagnostic.get(0) == 0 end)
end
vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    local _, failure = pcall(drive)
    seen.failure = failure
    vim.fn.writefile({ vim.json.encode(seen) }, 'seen.json')
    vim.cmd('qa!')
  end),
})
`;

describe('other editors', function () {
  let project: TempProject | undefined;
  let child: ChildProcess | undefined;
  before(function () {
    if (PROGRAMS === undefined) skipTest(this, NO_EDITORS);
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await project?.dispose();
    project = undefined;
  });

  /** In a terminal of its own, which Helix needs. The project is made at the first start. */
  async function start(command: string, files: Files = {}) {
    project ??= await createTempProject({
      'lintel.config.json': { definitions: ['definitions/**/*.json'] },
      [FILE]: WRONG,
      ...files,
    });
    const { folder } = project;
    await project.write('bin/npx', NPX);
    await chmod(join(folder, 'bin/npx'), 0o755);
    const path = [join(folder, 'bin'), PROGRAMS, process.env['PATH']].join(delimiter);
    const terminal = spawn('script', ['-qfec', `stty rows 40 cols 160; exec ${command}`, '/dev/null'], {
      cwd: folder,
      env: { ...bareEnv(), PATH: path, HOME: join(folder, 'home'), TERM: 'xterm-256color' },
    });
    child = terminal;
    let said = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    return {
      folder,
      ended: once(terminal, 'exit'),
      waitFor: (words: RegExp) => waitUntil(() => words.test(toPlainText(said)), `${words}`),
      press: (keys: string) => {
        said = '';
        terminal.stdin.write(keys);
      },
    };
  }

  it('Neovim shows problems, hovers and completions', async () => {
    const { folder, ended } = await start(`nvim --headless --clean --cmd 'luafile drive.lua' -u init.lua ${FILE}`, {
      'init.lua': readSettings('lua', 'vim.lsp.config'),
      'drive.lua': DRIVE,
    });
    await ended;
    const seen = JSON.parse(await readFile(join(folder, 'seen.json'), 'utf8')) as {
      readonly failure?: string;
      readonly problems: unknown;
      readonly hover: string;
      readonly labels: readonly string[];
    };
    expect(seen.failure).to.equal(undefined);
    expect(seen.problems).to.deep.equal([[3, 'DEF_UNKNOWN_PLUGIN']]);
    expect(seen.hover).to.contain('The type of work of an actionable.');
    expect(seen.labels).to.include.members(['QUERY', 'RETURN']);
  });

  it('Helix shows problems, hovers and completions in a folder that is trusted', async () => {
    const files = {
      '.helix/languages.toml': readSettings('toml', 'language-server.lintel'),
      'home/.config/helix/config.toml': '',
    };
    const first = await start(`hx ${FILE}`, files);
    await first.waitFor(/Trust this workspace/);
    first.press('\r');
    const trusted = join(first.folder, 'home/.local/share/helix/workspace_trust');
    await waitUntil(async () => (await readdir(trusted).catch(() => [])).length > 0, 'Helix trusts the folder');
    first.press(':q!\r');
    await first.ended;
    const { waitFor, press, ended } = await start(`hx ${FILE}`);
    await waitFor(/There is no mode "RETURNS"/);
    press('/mode\r k');
    await waitFor(/The type of work of an actionable/);
    press('/RETURNS\ra\x7f\x7f\x7f\x18');
    await waitFor(/enum_member/);
    press('\x1b');
    await waitFor(/NOR/);
    press(':q!\r');
    await ended;
  });
});

/** What a terminal shows, with a space for each control sequence. */
const toPlainText = (said: string): string =>
  said.replace(/\p{Cc}\[[0-9;:?$]*[a-zA-Z]|\p{Cc}\][^\p{Cc}]*\p{Cc}\\?/gu, ' ').replace(/\s+/g, ' ');
