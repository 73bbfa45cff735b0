/** Measures changes of files on disk: without effect on other files, and with effect on one, ten or all resources. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LargeProject } from '../../test/support/large-files.js';
import { readTreeCpuMicros } from '../proc.js';
import { median } from '../report.js';
import type { Client } from './client.js';
import { createEditRow, createTimeRow, KEYSTROKES, LARGE, LARGE_EDITS, type EditorMeasurement } from './figures.js';
import { LABELS, MANIFEST, writeManifest } from './plugins.js';

const CHANGES = 2;
/** The first model, which ten resources use, the open one among them. */
const MODEL = 'definitions/_table000.model.json';

interface Change {
  readonly name: string;
  readonly files: readonly string[];
  /** Odd `n`: writes the changed files; even: the original ones. */
  readonly write: (n: number) => Promise<void>;
  /** All resources are checked again. */
  readonly isOfAll?: boolean;
  /** The diagnostics of the open file change. */
  readonly isShown?: boolean;
}

export async function measureChanges(visit: EditorMeasurement, client: Client, project: LargeProject): Promise<void> {
  await measureSameMeaning(visit, client, project);
  for (const change of listChanges(visit.folder, project)) await measureChange(visit, client, project, change);
  await measureUnrelated(visit, client, project);
}

function listChanges(folder: string, { files }: LargeProject): Change[] {
  const putFile = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const variables = files['.env'] ?? '';
  const config = files['lintel.config.json'] ?? '';
  const manifests = LABELS.flatMap((label) =>
    (['field', 'type'] as const).map((what): Change => {
      const [before, after] = [writeManifest(null), writeManifest({ label, what })];
      return {
        name: `a ${what} in a plugin: ${label}`,
        files: [MANIFEST],
        write: (n) => putFile(MANIFEST, n % 2 === 1 ? after : before),
        isOfAll: label === 'every_label',
        isShown: what === 'type' && label !== 'unused_label',
      };
    }),
  );
  const renamed = MODEL.replace('.model', 'x.model');
  return [
    {
      name: 'a value in .env that becomes too short',
      files: ['.env'],
      write: (n) => putFile('.env', n % 2 === 1 ? 'JWT_SECRET_KEY=short\n' : variables),
      ...{ isOfAll: true, isShown: true },
    },
    {
      name: 'a variable that all name is unset',
      files: ['.env'],
      write: (n) => putFile('.env', n % 2 === 1 ? 'OTHER=1\n' : variables),
      ...{ isOfAll: true, isShown: true },
    },
    {
      name: 'a profile in the config',
      files: ['lintel.config.json'],
      write: (n) => putFile('lintel.config.json', n % 2 === 1 ? config.replace('{', '{ "profile": "sub0",') : config),
      isOfAll: true,
    },
    {
      name: 'a model of ten resources renamed',
      files: [MODEL, renamed],
      write: (n) =>
        rename(
          ...((n % 2 === 1 ? [MODEL, renamed] : [renamed, MODEL]).map((one) => join(folder, one)) as [string, string]),
        ),
      isShown: true,
    },
    ...manifests,
  ];
}

/** Requests completion and hover until all diagnostics are published. */
async function measureChange(
  { book, side }: EditorMeasurement,
  client: Client,
  { files, open }: LargeProject,
  { name, files: changed, write, isOfAll = false, isShown = false }: Change,
): Promise<void> {
  const offset = (files[open] ?? '').indexOf('"mode"') + 2;
  const [first, all, cpu]: [number[], number[], number[]] = [[], [], []];
  const [completions, hovers]: [number[], number[]] = [[], []];
  for (let n = 1; n <= CHANGES * 2; n++) {
    await write(n);
    const [cpuBefore, before] = [readTreeCpuMicros(client.pid), performance.now()];
    const shown = isShown ? client.waitForNext().then(() => first.push(performance.now() - before)) : null;
    let isOver = false;
    const published = client
      .waitForPublication(() => client.noteChange(...changed))
      .then(() => {
        isOver = true;
        all.push(performance.now() - before);
      });
    while (!isOver) {
      const requested = performance.now();
      await client.fetchCompletions(offset);
      const completed = performance.now();
      await client.fetchHover(offset);
      completions.push(completed - requested);
      hovers.push(performance.now() - completed);
    }
    await Promise.all([shown, published]);
    cpu.push((readTreeCpuMicros(client.pid) - cpuBefore) / 1000);
  }
  const cpuOfOne = median(cpu);
  if (isShown) book.add(createEditRow(`first diagnostics, ${name}`, 150, null), side, first);
  if (isOfAll) book.add(createTimeRow(`${LARGE}: all diagnostics, ${name}`, null), side, all, cpuOfOne);
  else book.add(createEditRow(`all diagnostics, ${name}`, 150, null), side, all, cpuOfOne);
  book.add(createEditRow(`completion meanwhile, ${name}`, 50, null), side, completions);
  book.add(createEditRow(`hover meanwhile, ${name}`, 50, null), side, hovers);
}

async function measureSameMeaning(
  { book, side, folder }: EditorMeasurement,
  client: Client,
  { files }: LargeProject,
): Promise<void> {
  const variables = files['.env'] ?? '';
  const manifest = files[MANIFEST] ?? '';
  const changes = [
    { name: 'another variable in .env', file: '.env', write: (n: number) => `${variables}OTHER=${'x'.repeat(n)}\n` },
    {
      name: 'another value of a variable that every resource names',
      file: '.env',
      write: (n: number) => `${variables.trimEnd()}${'x'.repeat(n % 2)}\n`,
    },
    {
      name: 'another text in a manifest',
      file: MANIFEST,
      write: (n: number) => manifest.replace('"summary": "', `"summary": "${'x'.repeat(n)}`),
    },
  ];
  for (const { name, file, write } of changes) {
    const [took, cpu]: [number[], number[]] = [[], []];
    for (let n = 0; n < LARGE_EDITS; n++) {
      await writeFile(join(folder, file), write(n));
      const [cpuBefore, before] = [readTreeCpuMicros(client.pid), performance.now()];
      await client.waitForPublication(() => client.noteChange(file));
      took.push(performance.now() - before);
      cpu.push((readTreeCpuMicros(client.pid) - cpuBefore) / 1000);
    }
    await writeFile(join(folder, file), files[file] ?? '');
    await client.waitForPublication(() => client.noteChange(file));
    book.add(createEditRow(`diagnostics, ${name}`, 150), side, took, median(cpu));
  }
}

async function measureUnrelated(
  { book, side }: EditorMeasurement,
  client: Client,
  { files, open }: LargeProject,
): Promise<void> {
  const cpuBefore = readTreeCpuMicros(client.pid);
  const answers: number[] = [];
  for (let n = 0; n < KEYSTROKES; n++) {
    const before = performance.now();
    client.noteChange('package.json');
    // No diagnostics are published; the response shows that the notification was handled.
    await client.fetchHover((files[open] ?? '').indexOf('"mode"') + 2);
    answers.push(performance.now() - before);
  }
  const each = (readTreeCpuMicros(client.pid) - cpuBefore) / 1000 / KEYSTROKES;
  book.add(createTimeRow(`${LARGE}: an unrelated JSON file, and a hover`, 15), side, answers, each);
}
