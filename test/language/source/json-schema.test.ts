/**
 * The exported JSON Schema against the checker: examples of the specs pass, structural counter-examples fail, and
 * definitions of valid fixtures pass. Validated by an independent validator.
 */
import Ajv, { type ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host, Kind } from '../../../contract/kind.js';
import { isObject, type Json } from '../../../contract/json.js';
import { pluginId } from '../../../contract/plugin.js';
import { createSchema, SCHEMA_TARGETS, type SchemaTarget } from '../../../language/export/schema-files.js';
import { createDocument } from '../../../language/source/document.js';
import { toJson } from '../../../language/source/tree.js';
import { parseSource } from '../../../language/source/parse.js';
import {
  createBuiltinRegistry,
  listCaseNames,
  CONFIG,
  DEFINITIONS,
  readExpectedRows,
  readFiles,
  createTrialRegistry,
} from '../../support/fixtures.js';
import { measureCpuTime } from '../../support/cpu.js';
import { ROOT } from '../../support/project.js';

const registry = createTrialRegistry();
const validators = new Map<SchemaTarget, ValidateFunction>(
  SCHEMA_TARGETS.map((target) => {
    const ajv = new Ajv({ allErrors: true, schemaId: 'auto' });
    // As it is read from a file.
    return [target, ajv.compile(JSON.parse(JSON.stringify(createSchema(target, registry))) as object)];
  }),
);

function listErrors(target: SchemaTarget, json: unknown): string[] {
  const validate = validators.get(target)!;
  return validate(json) === true
    ? []
    : (validate.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message ?? ''}`);
}

const TARGETS: Readonly<Record<Host['file'], readonly SchemaTarget[]>> = {
  resource: ['definition', 'all'],
  model: ['definition', 'model', 'all'],
  config: ['config', 'all'],
  test: ['test', 'all'],
};
const read = (file: string, text: string): Json => {
  const { root } = parseSource(createDocument(file, text));
  return root === null ? null : toJson(root);
};

/** Needs a list of names that only the checker has. */
const BEYOND_SCHEMA = ['DEF_HEADER'];
/** Some accessors are invalid by their form alone, others only with other names and definitions. */
const PARTLY_KNOWN = ['ACC_UNKNOWN_ROOT', 'ACC_INVENTED', 'ACC_TAIL', 'ACC_NOT_HERE'];

describe('JSON Schema', () => {
  for (const spec of registry.plugins.values()) {
    const kind = registry.kind(spec.kind) as Kind;
    it(`of ${pluginId(spec)} accepts its examples and rejects its structural counter-examples`, () => {
      for (const { title, json } of spec.examples) {
        const host = kind.host(json, spec);
        for (const target of TARGETS[host.file])
          expect(listErrors(target, host.json), `${title} (${target})`).to.be.empty;
      }
      for (const { title, json, code } of spec.counterExamples) {
        if (!code.startsWith('DEF_') || registry.codes[code]?.severity !== 'error') continue;
        const host = kind.host(json, spec);
        for (const target of TARGETS[host.file])
          expect(listErrors(target, host.json), `${title} (${target})`).not.to.be.empty;
      }
    });
  }

  it('accepts every valid definition of the fixtures and every file of the sample and of the template', () => {
    let validated = 0;
    const cases = listCaseNames().filter((name) => name.startsWith('sound-') || name === 'config-sound');
    for (const name of cases) {
      for (const { file, text } of readFiles(join(DEFINITIONS, name))) {
        validated++;
        const other = file.startsWith('_') ? 'model' : file.endsWith('.test.json') ? 'test' : 'definition';
        const target = file === CONFIG ? 'config' : other;
        expect(listErrors(target, read(file, text)), `${name}/${file}`).to.deep.equal([]);
      }
    }
    const inFolder = (folder: string): string[] =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.json'))
        .map((name) => join(folder, name));
    const templates = inFolder('templates/project/definitions');
    for (const file of ['lintel.config.json', 'templates/project/lintel.config.json']) templates.push(file);
    for (const file of [...inFolder('definitions'), ...templates]) {
      validated++;
      expect(listErrors('all', read(file, readFileSync(join(ROOT, file), 'utf8'))), file).to.deep.equal([]);
    }
    expect(validated).to.be.greaterThan(15);
  });

  it('rejects every fixture whose mistakes a schema can detect, and accepts every other one', () => {
    const wrong: string[] = [];
    let [rejected, taken] = [0, 0];
    for (const name of listCaseNames()) {
      const rows = readExpectedRows(name).filter(({ severity }) => severity === 'error');
      for (const { file, text, unreadable } of readFiles(join(DEFINITIONS, name))) {
        const codes = rows.filter((row) => row.file === file).map(({ code }) => code);
        const { root } = parseSource(createDocument(file, text));
        // Text that is no JSON is no matter of a schema.
        if (unreadable !== undefined || root === null || codes.some((code) => code.startsWith('SRC_'))) continue;
        const other = file.startsWith('_') ? 'model' : file.endsWith('.test.json') ? 'test' : 'definition';
        const target = file === CONFIG ? 'config' : other;
        const errors = listErrors(target, toJson(root));
        const known = codes.filter((code) => code.startsWith('DEF_') && !BEYOND_SCHEMA.includes(code));
        const perhaps = codes.some((code) => PARTLY_KNOWN.includes(code));
        if (known.length > 0 && errors.length === 0) wrong.push(`${name}/${file} passes: ${known.join(', ')}`);
        if (known.length === 0 && !perhaps && errors.length > 0)
          wrong.push(`${name}/${file} is refused: ${errors.join('; ')}`);
        if (errors.length > 0) rejected++;
        else taken++;
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(rejected, 'refused').to.be.greaterThan(50);
    expect(taken, 'taken').to.be.greaterThan(150);
  });

  it('accepts unique sets next to the fields of a model, and a field with that name', () => {
    const model = (unique: unknown): object => ({ id: { type: 'Number' }, code: { type: 'String' }, unique });
    for (const right of [['code'], [['id', 'code']], { type: 'String' }]) {
      expect(listErrors('model', model(right)), JSON.stringify(right)).to.deep.equal([]);
    }
    for (const wrong of [[1], [[]], [['id', 2]], true, 'code', { type: 'Sting' }]) {
      expect(listErrors('model', model(wrong)), JSON.stringify(wrong)).not.to.be.empty;
    }
  });

  const resource = (action: object): object => ({ id: 'a', resource: 'a', actionables: [{ id: 1, ...action }] });
  const returning = (more: object): object => resource({ mode: 'RETURN', value: 1, ...more });

  it('checks values, bounds and forms like the checker', () => {
    const cases: readonly (readonly [object, boolean])[] = [
      [returning({}), true],
      [returning({ retrunables: ['a'] }), false],
      [returning({ sql_query: { query: 'SELECT 1' } }), false],
      [returning({ trial: { code: 'four', share: 0.5, letters: ['a', 'b'], nothing: null } }), true],
      [returning({ trial: { code: 'five5' } }), false],
      [returning({ trial: { share: 0 } }), false],
      [returning({ trial: { share: 1 } }), false],
      [returning({ trial: { letters: ['a'] } }), false],
      [returning({ trial: { letters: ['a', ''] } }), false],
      [returning({ trial: { letters: ['a', 'b', 'c', 'd'] } }), false],
      [returning({ trial: { count: 1 } }), true],
      [returning({ trial: { count: '$PAYLOAD.count' } }), true],
      [returning({ trial: { count: 'many' } }), false],
      [returning({ trial: { count: 1.5 } }), false],
      [returning({ trial: { header: '$HEADER.x' } }), true],
      [returning({ trial: { header: '$PAYLOAD.x' } }), false],
      [returning({ trial: { switches: { a: true } } }), true],
      [returning({ trial: { switches: { a: 1 } } }), false],
      [returning({ trial: { free: [{}] } }), true],
      [resource({ mode: 'RETURN' }), false],
      [resource({ mode: 'RETRUN', value: 1 }), false],
      [resource({ mode: 'QUERY' }), false],
      [resource({ mode: 'QUERY', trial_query: { text: 'all' } }), true],
      [resource({ mode: 'QUERY', trial_query: { text: 'all' }, sql_query: { query: 'SELECT 1' } }), false],
      [resource({ mode: 'RETURN', value: { deep: ['$PAYLAOD.x'] } }), false],
      [resource({ mode: 'RETURN', value: ['costs $1', '$set', '$2b$10$x', '$Name', '$GENERATOR.ULID'] }), true],
      [resource({ mode: 'RETURN', value: 'x $GENERATOR.ULIDX' }), false],
      [[returning({}), { _cat: { id: { type: 'Number' } } }], true],
      [[returning({}), { _cat: { id: { type: 'Nubmer' } } }], false],
      [{ id: { type: 'String', auto_increment: true } }, false],
      [{ id: 'a', resource: 'a', actionables: 'x' }, false],
      [{ id: 'a', resource: '../a', actionables: [] }, false],
      [{}, false],
    ];
    for (const [json, fits] of cases) {
      const found = listErrors('definition', json);
      expect(found.length === 0, `${JSON.stringify(json)} ${found.join('; ')}`).to.equal(fits);
    }
  });

  it('documents every property, in Markdown for editors that show it', () => {
    const { definitions } = createSchema('all', createBuiltinRegistry()) as { definitions: Record<string, Json> };
    const bare: string[] = [];
    const visit = (json: Json, path: string): void => {
      if (Array.isArray(json)) json.forEach((item: Json, i) => visit(item, `${path}/${i}`));
      if (!isObject(json)) return;
      const properties = json['properties'];
      if (isObject(properties) && json['additionalProperties'] === false) {
        for (const [name, property] of Object.entries(properties)) {
          if (property === true) continue;
          const ref = isObject(property) ? property['$ref'] : undefined;
          const target = typeof ref === 'string' ? definitions[ref.replace('#/definitions/', '')] : property;
          if (!isObject(target) || typeof target['description'] !== 'string') bare.push(`${path}/${name}`);
        }
      }
      for (const [key, value] of Object.entries(json)) visit(value, `${path}/${key}`);
    };
    visit(definitions, '');
    expect(bare).to.deep.equal([]);
    const mode = JSON.stringify(definitions);
    expect(mode)
      .to.contain('"markdownEnumDescriptions"')
      .and.contain('"markdownDescription"')
      .and.contain('"default":8080');
  });

  it('is generated in less than 200 ms and is smaller than 300 KB', () => {
    let texts: string[] = [];
    const took = measureCpuTime(() => {
      texts = SCHEMA_TARGETS.map((target) => JSON.stringify(createSchema(target, createBuiltinRegistry())));
    });
    expect(took, 'all four').to.be.lessThan(200 * SCHEMA_TARGETS.length);
    for (const text of texts) expect(text.length).to.be.lessThan(300_000);
  });
});
