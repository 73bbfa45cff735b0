/**
 * Tests that are slow and rarely fail: a check runs a sample of them, selected by the commit, and all of them if the
 * sources they cover have changed since their last full run (`npm run test:deep` records that), and for a new version.
 */
import { createHash } from 'node:crypto';
import { transformSync } from 'esbuild';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { ROOT } from '../support/project.js';
import type { Area } from '../support/sample.js';

const RECORD = join(ROOT, 'test', 'deep.json');
const FRONT_END = [
  'contract/**/*.ts',
  'language/{source,schema,strings,analysis,problems}/**/*.ts',
  'plugins/**/{spec,kind,*.light}.ts',
  'plugins/queries/sql/{text,editing,analysis}/*.ts',
];

/** The sources whose change requires all tests of an area. */
const COVERED: Readonly<Record<Area, readonly string[]>> = {
  edits: FRONT_END,
  editor: ['language-server/**/*.ts', 'language/analysis/**/*.ts', 'extension/src/**/*.ts'],
  vectors: [
    'plugins/{ciphers,encodings,hashers,tokens,verifiers,validation-types,generators}/**/*.ts',
    'kernel/http/**/*.ts',
  ],
  strings: [
    'plugins/{dialects,queries,document-stores,document-actions,modes,storages}/**/*.ts',
    'language/strings/**/*.ts',
  ],
  kills: [
    'plugins/{queues,schedulers,relays,dialects,caches}/**/*.ts',
    'kernel/runtime/**/*.ts',
    'plugins/features/{queue,cron-job,cacheable}/**/*.ts',
  ],
  races: [
    'language/{analysis,strings}/**/*.ts',
    'kernel/runtime/**/*.ts',
    'plugins/{dialects,queries,document-stores}/**/*.ts',
  ],
  // Their server is emulated, and slow.
  mongo: ['plugins/{queues/{mongo,shared},document-stores,document-actions}/**/*.ts'],
};

const AREAS = Object.keys(COVERED) as Area[];

function hashSources(patterns: readonly string[], read: (file: string) => string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const hash = createHash('sha256').update(version);
  const unused = patterns.filter((pattern) => globSync(pattern, { cwd: ROOT }).length === 0);
  if (unused.length > 0) throw new Error(`No source matches ${unused.join(', ')}: correct the table of large tests.`);
  for (const file of globSync([...patterns], { cwd: ROOT }).sort()) hash.update(`\n${file}\n`).update(read(file));
  return hash.digest('hex').slice(0, 16);
}

const readSource = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** Text that is unaffected by comments, layout and local names. */
const readCode = (file: string): string => transformSync(readSource(file), { loader: 'ts', minify: true }).code;

/** Hash of the sources, and of their code alone. */
type Hashes = readonly [sources: string, code: string];

const readRecord = (): Readonly<Record<string, Hashes>> =>
  existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, Hashes>) : {};

/** Areas whose sources differ from those of their last full run. */
export function listChangedAreas(): Area[] {
  const record = readRecord();
  return AREAS.filter((area) => {
    const [sources, code] = record[area] ?? [];
    return sources !== hashSources(COVERED[area], readSource) && code !== hashSources(COVERED[area], readCode);
  });
}

/** To be called after a full run without a failure. */
export function recordDeepRun(): void {
  const rows = AREAS.map((area): readonly [Area, Hashes] => [
    area,
    [hashSources(COVERED[area], readSource), hashSources(COVERED[area], readCode)],
  ]);
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}
