/**
 * esbuild plugins that replace built-in specs and grammar schemas in the server's bundle by prebuilt data, which loads faster.
 * Code of specs becomes a separate bundle, loaded on first call.
 */
import type { Plugin } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createConfigField, NODES } from '../../language/analysis/grammar-schemas.js';
import { toPlainData } from '../../language/export/manifest.js';
import { packSpecs } from '../../language/export/pack-specs.js';
import { listSchemaFiles } from '../../language/export/schema-files.js';
import { CATALOGUE } from '../../language/problems/catalogue.js';
import { PROGRAM_CODES } from '../../language/problems/with-program-codes.js';
import { readProjectTemplate } from '../../language/project/project-template.js';
import { kinds } from '../../plugins/index.kinds.js';
import { specs } from '../../plugins/index.spec.js';
import { builtIn } from './facts.js';

const BUILT_IN = 'built-in.txt.br';
const PROBLEMS = 'problems.txt.br';
export const DATA_FILES = [BUILT_IN, PROBLEMS];

const readText = (file: string): string => `brotliDecompressSync(readFileSync(new URL('./${file}', import.meta.url)))`;

const SOURCE = `
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { unpackSpecs } from '../language/export/pack-specs.js';
import { sql } from '../plugins/queries/sql/language.light.js';
const code = () => require('./built-in.js').builtIn();
const read = () => ${readText(BUILT_IN)}.toString('latin1');
export const IS_VALIDATED = true;
let known;
export const builtIn = () => (known ??= unpackSpecs(read(), code, [sql]));
`;

/** Replaces `language/problems/catalogue.ts`; the grammar is in the same file. */
const CATALOGUE_SOURCE = `
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
const { catalogue, program, config, nodes } = JSON.parse(${readText(PROBLEMS)}.toString());
export { catalogue as CATALOGUE, program as PROGRAM_CODES, config, nodes };
`;

/** Replaces `language/problems/with-program-codes.ts`. */
const PROGRAM_CODES_SOURCE = `
import { PROGRAM_CODES } from './catalogue.js';
export { PROGRAM_CODES };
export const withProgramCodes = (registry) => ({ ...registry, codes: { ...PROGRAM_CODES, ...registry.codes } });
`;

/** Replaces `language/analysis/grammar-schemas.ts`. */
const GRAMMAR_SOURCE = `
import { unpackNode } from '../schema/packed-node.js';
import { config, nodes } from '../problems/catalogue.js';
export const NODES = Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, unpackNode(node)]));
export const createConfigField = () => unpackNode(config);
`;

export const builtInAsData: Plugin = {
  name: 'built in as data',
  setup(build) {
    build.onLoad({ filter: /language[/\\]analysis[/\\]grammar-schemas\.ts$/ }, () => ({
      contents: GRAMMAR_SOURCE,
      loader: 'ts',
    }));
    build.onLoad({ filter: /language[/\\]problems[/\\]catalogue\.ts$/ }, () => ({
      contents: CATALOGUE_SOURCE,
      loader: 'ts',
    }));
    build.onLoad({ filter: /language[/\\]problems[/\\]with-program-codes\.ts$/ }, () => ({
      contents: PROGRAM_CODES_SOURCE,
      loader: 'ts',
    }));
    build.onLoad({ filter: /language-server[/\\]built-in\.ts$/ }, () => ({ contents: SOURCE, loader: 'ts' }));
    build.onResolve({ filter: /^\.\/built-in\.js$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : null,
    );
  },
};

/** In one line, or on the line after its name. */
const SUMMARY = /\n {2}summary:\s+(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`),\n/g;
const COUNTER_EXAMPLES = /\n {2}counterExamples: \[(?:\n.*?\n {2}\]|[^\n]*\]),\n/gs;

const EXAMPLES = /\n {2}examples: \[(?:\n.*?\n {2}\]|[^\n]*\]),\n/s;
/** Lines that are joined, or one text in several pieces. */
const DETAILS =
  /\n {2}details:(?:\s+\[\n.*?\n {2}\]\.join\('\\n'\)|(?:\s+(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`)(?:\s+\+)?)+),\n/s;

/** Of fields; `fold` reads that of the data. */
const FIELD_DOCS =
  /\bdoc:(?:\s+(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`)(?:\s+\+(?=\s+['"`]))?)+(?:,|(?=\s*[}\n]))/g;

/** Of the errors of a spec. */
const ERROR_TEXTS =
  /\n {6}(?:title|message|help):(?:\s+(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`)(?:\s+\+)?)+,(?=\n)/g;

const KIND_ERRORS = /\n( +)[A-Z][A-Z_]+: \{\n[^]*?\n\1\},/g;
const KIND_TEXTS =
  /\n {4,}(?:title|message|help):(?:\s+(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`)(?:\s+\+)?)+,(?=\n)/g;

/** Errors that specs share: every literal of more than one word is a text. */
const LITERALS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`/g;
const stripWords = (text: string): string =>
  text.replace(LITERALS, (literal) => (literal.includes(' ') ? "''" : literal));

const stripTexts = (name: string, texts: readonly (readonly [RegExp, string])[]): Plugin => ({
  name,
  setup(build) {
    build.onLoad({ filter: /plugins[/\\].*[/\\](?:spec|[a-z-]*fields\.light)\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: texts.reduce((rest, [found, empty]) => rest.replace(found, empty), text), loader: 'ts' };
    });
    build.onLoad({ filter: /plugins[/\\][^/\\]+[/\\]kind\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(KIND_ERRORS, (error) => error.replace(KIND_TEXTS, '')),
      loader: 'ts',
    }));
    build.onLoad({ filter: /plugins[/\\].*errors\.light\.ts$/ }, async ({ path }) => ({
      contents: stripWords(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
});

const UNREAD: readonly (readonly [RegExp, string])[] = [
  [COUNTER_EXAMPLES, '\n'],
  [EXAMPLES, '\n'],
  [DETAILS, '\n'],
  [SUMMARY, '\n'],
  [ERROR_TEXTS, ''],
];

/** One text, or several pieces of it. */
const TEXT = String.raw`(?:${LITERALS.source})(?:\s+\+\s+(?:${LITERALS.source}))*`;
/** The help of a code, behind its title and message. */
const CODE_HELP = new RegExp(
  String.raw`(\bdefine(?:(?:Unknown|Unsure)\(|Problem\(\s*${TEXT},|Rejection\(\s*\d+,)\s*(?:${TEXT},\s+){2})(?:${TEXT})`,
  'g',
);

/** For a front end that reads its fields from the code of specs, and these texts from nowhere. */
export const withoutUnreadTexts: Plugin = {
  name: 'without unread texts',
  setup(build) {
    void stripTexts('of specs', UNREAD).setup(build);
    build.onLoad({ filter: /language[/\\]problems[/\\][a-z]+-codes\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(CODE_HELP, "$1''"),
      loader: 'ts',
    }));
  },
};

/** For the code of specs that have their fields and texts among the data. */
export const withoutTextsOfData = stripTexts('without texts of the data', [...UNREAD, [FIELD_DOCS, '']]);

export async function writeBuiltIn(folder: string): Promise<void> {
  await writeFile(join(folder, BUILT_IN), brotliCompressSync(packSpecs({ kinds, specs })));
  const data = {
    catalogue: CATALOGUE,
    program: PROGRAM_CODES,
    config: toPlainData(createConfigField(), 'config'),
    nodes: toPlainData(NODES, 'grammar'),
  };
  await writeFile(join(folder, PROBLEMS), brotliCompressSync(JSON.stringify(data)));
}

/** The files of a new project, as `lintel init` has them, for the client. */
export async function writeProjectTemplate(folder: string): Promise<void> {
  const files = [...(await readProjectTemplate()), ...listSchemaFiles('.vscode', 'all', builtIn())];
  await writeFile(join(folder, 'project.txt.br'), brotliCompressSync(JSON.stringify(files)));
}
