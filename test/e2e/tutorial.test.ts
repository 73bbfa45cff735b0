/**
 * The tutorial, executed from top to bottom in one temporary folder: files and edits are written, commands run,
 * requests and messages are sent, and each response is compared with the page.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { hostCli, runCli, type Running } from '../support/cli.js';
import { createClient } from '../support/client.js';
import { listBlocks, fillNames, isExpected, performExchange, type Block } from '../support/docs-page.js';
import { PNG_RED } from '../support/pictures.js';
import { ROOT, createTempProject, type TempProject } from '../support/project.js';
import { connect, type SocketClient } from '../support/sockets.js';

/** The cheapest hash that the checker accepts without a hint. */
const QUICK_HASH = '"algorithm": "BCRYPT", "options": { "rounds_cost": 10 } }],';
const ADDRESS = 'http://127.0.0.1:8080';
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The output as the page shows it: `...` is any text, in a line of its own any lines; `<name>` is a value that changes. */
const outputPattern = (shown: string): RegExp =>
  new RegExp(
    escaped(shown.trim())
      .replace(/^\\\.\\\.\\\.(?:\n|$)/gm, '[^]*?')
      .replaceAll('\\.\\.\\.', '[^]*?')
      .replace(/<(\w+)>/g, '(?<$1>[^"\\s]+)'),
  );

describe('tutorial', function () {
  this.bail(true);
  const names = new Map<string, string>();
  let project: TempProject;
  let folder: string;
  let server: Running | undefined;
  let url = '';
  /** How much of the output of the server is compared already. */
  let seen = 0;
  let socket: SocketClient | undefined;

  before(async () => {
    project = await createTempProject();
    folder = project.folder;
  });
  after(async () => {
    await socket?.close();
    await server?.stop();
    await project.dispose();
  });

  const fill = (text: string): string => fillNames(text, names);
  const learn = (groups: Readonly<Record<string, string>> = {}): void => {
    for (const [name, value] of Object.entries(groups)) names.set(`<${name}>`, value);
  };

  async function start(command: string): Promise<void> {
    await runCli(['env'], { cwd: folder });
    seen = 0;
    server = hostCli([command], { cwd: folder, env: { PORT: '0' } });
    [, url = ''] = await server.waitForOutput(/ready at (http:\S+)/);
  }
  async function stop(): Promise<void> {
    await socket?.close();
    socket = undefined;
    expect((await server?.stop())?.code).to.equal(0);
    server = undefined;
  }
  async function runLintel(words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await runCli(words, { cwd: folder });
    return stdout + stderr;
  }
  const script = async (name: string): Promise<string> => {
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    return scripts[name] ?? '';
  };
  async function compareServer(shown: string): Promise<void> {
    const found = await server?.waitForOutput(outputPattern(shown.replaceAll(ADDRESS, url)), seen);
    seen += (found?.index ?? 0) + (found?.[0].length ?? 0);
  }

  /** Runs one command of the page; the output, or null for a running server. */
  async function run(command: string): Promise<string | null> {
    const [program = '', ...words] = command.split(' ');
    if (program === 'cd') folder = join(folder, words[0] ?? '');
    else if (program === 'rm') await rm(join(folder, words[0] ?? ''));
    else if (command === 'npm install') {
      await mkdir(join(folder, 'node_modules'));
      await symlink(ROOT, join(folder, 'node_modules/lintel'));
      await writeFile(join(folder, 'basil.png'), PNG_RED);
      const users = join(folder, 'definitions/resources/users.resource.json');
      await writeFile(users, (await readFile(users, 'utf8')).replace('"algorithm": "BCRYPT" }],', QUICK_HASH));
    } else if (program === 'npx') return runLintel(words.slice(1));
    else if (program === 'npm') {
      const line = await script(words.at(-1) ?? '');
      const last = line.split(' && ').at(-1)?.split(' ').slice(1) ?? [];
      if (last[0] !== 'dev' && last[0] !== 'serve') return runLintel(last);
      await start(last[0]);
      return null;
    } else {
      const { stdout } = await promisify(execFile)('sh', ['-c', fill(command).replaceAll(ADDRESS, url)], {
        cwd: folder,
      });
      return stdout;
    }
    return '';
  }

  async function console(text: string): Promise<void> {
    for (const [, part = ''] of text.matchAll(/((?:^(?:\$|\^C).*\n|^.*\n)(?:^(?!\$|\^C).*\n)*)/gm)) {
      const [first = '', ...rest] = part.split('\n');
      const shown = rest.join('\n');
      if (first === '^C') await stop();
      else if (!first.startsWith('$ ')) await compareServer(part);
      else {
        const printed = await run(first.slice(2));
        if (printed === null) await compareServer(shown);
        else {
          const match = outputPattern(fill(shown)).exec(printed);
          expect(match, `${first}\n${printed}`).not.to.equal(null);
          learn(match?.groups);
        }
      }
    }
  }

  const exchange = (written: string): Promise<void> => performExchange(written, names, createClient(url));

  async function message(line: string): Promise<void> {
    const [, kind = '', rest = ''] = /^(connect|[<>]) (.*)$/.exec(line) ?? [];
    if (kind === 'connect') {
      const [path = '', ...protocols] = fill(rest).split(' ');
      socket = await connect(url, { path, protocols });
    } else if (kind === '>') socket?.send(fill(rest));
    else {
      const frame = await socket?.next();
      expect(isExpected(JSON.parse(rest), frame, names, true), JSON.stringify(frame)).to.equal(true);
    }
  }

  async function edit(text: string): Promise<void> {
    const [first = '', ...lines] = text.split('\n');
    const file = join(folder, first.slice(3));
    const marked = (sign: string): string =>
      lines.flatMap((line) => (line.startsWith(sign) ? [`${line.slice(1)}\n`] : [])).join('');
    const before = await readFile(file, 'utf8');
    expect(before).to.contain(marked('-'));
    await writeFile(file, before.replace(marked('-'), marked('+')));
  }

  async function write(text: string): Promise<void> {
    const [, name = ''] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    expect(name, text).not.to.equal('');
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }

  const each = async (parts: readonly string[], perform: (part: string) => Promise<void>): Promise<void> => {
    for (const part of parts) await perform(part);
  };
  const perform: Readonly<Record<string, (text: string) => Promise<void>>> = {
    console,
    jsonc: write,
    diff: edit,
    http: (text) => each(text.trim().split('\n\n'), exchange),
    websocket: (text) => each(text.trim().split('\n'), message),
  };

  const steps = new Map<string, Block[]>();
  for (const block of ['tutorial.md', 'tutorial-operation.md'].flatMap(listBlocks))
    steps.set(block.heading, [...(steps.get(block.heading) ?? []), block]);
  for (const [heading, blocks] of steps) {
    it(heading, async () => {
      for (const { language, text } of blocks) {
        expect(perform, text).to.have.property(language);
        await perform[language]?.(text);
      }
    });
  }
});
