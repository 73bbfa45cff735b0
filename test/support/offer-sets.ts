/** Valid definitions for completion tests: the fixtures, the sample, the template and the gallery. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { readGallery } from '../../extension/src/gallery.js';
import { EXAMPLE_ENV } from './example-env.js';
import type { SourceFile } from '../../language/analysis/analyse.js';
import { CONFIG, DEFINITIONS, listCaseNames, readFiles } from './fixtures.js';
import type { OfferSet } from './offers.js';
import { ROOT } from './project.js';

/** Variables of the sample, the gallery and the fixtures. */
export const OFFER_ENV: Readonly<Record<string, string>> = {
  ...EXAMPLE_ENV,
  ...readExampleEnv(),
  JWT_SECRET_KEY: 'j'.repeat(64),
  FIELD_KEY: 'thirty-two letters for one key..',
  WEATHER_TOKEN: 'a token of the weather service, long',
  WEBHOOK_SECRET: 'w'.repeat(40),
};

/** Variables that `lintel env` writes for the sample. */
function readExampleEnv(): Record<string, string> {
  const lines = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries(
    [...lines].map(([, name = '', value = '']) => {
      const length = /^generate:(\d+)$/.exec(value)?.[1];
      return [name, length === undefined ? value : name.repeat(9).slice(0, Number(length))];
    }),
  );
}

function readSet(name: string, folder: string): OfferSet {
  const files = globSync(['lintel.config.json', 'definitions/**/*.json'], { cwd: join(ROOT, folder) }).sort();
  return { name, files: files.map((file) => ({ file, text: readFileSync(join(ROOT, folder, file), 'utf8') })) };
}

const moveToDefinitions = ({ file, text }: SourceFile): SourceFile => ({
  file: file === CONFIG ? file : `definitions/${file}`,
  text,
});

export function listOfferSets(): OfferSet[] {
  const fixtures = listCaseNames().filter(
    (name) => name.includes('sound') && !['sound-bom-crlf', 'calls-config-sound', 'config-sound'].includes(name),
  );
  const gallery = readGallery(join(ROOT, 'extension', 'gallery'));
  return [
    ...fixtures.map((name) => ({ name, files: readFiles(join(DEFINITIONS, name)).map(moveToDefinitions) })),
    readSet('sample', '.'),
    readSet('template', 'templates/project'),
    {
      name: 'gallery',
      files: gallery.patterns.map((one) => ({ file: one.file, text: gallery.readPattern(one) })).map(moveToDefinitions),
    },
  ];
}
