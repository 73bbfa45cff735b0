/** A TypeScript client as text, from an OpenAPI document. Pure; the same document gives the same text. */
import { asText, type JsonObject } from '../../../contract/json.js';
import { isObjectSchema } from '../../../contract/forms.js';
import { toMethodName, writeMethod, writeSocketTypes, writeSocketValues } from './call-text.js';
import { listOperations, toObject, type ClientOperation } from './operations.js';
import { writeComment, writeFields, writeKey, writeText, writeType } from './type-text.js';

/** The parts of a client that are the same for all, as TypeScript. */
export interface ClientParts {
  readonly http: string;
  readonly socket: string;
}

export function writeClient(document: JsonObject, parts: ClientParts): string {
  const operations = listOperations(document);
  const { title } = toObject(document['info']);
  const extension = document['x-lintel-websocket'];
  const websocket = extension === undefined ? null : toObject(extension);
  const shared = listSharedCodes(operations);
  const called = operations.filter(({ isConnectedOnly }) => !isConnectedOnly);
  const sections = [
    `// Made by \`lintel client\` from the definitions of ${asText(title) || 'a project'}. Changes are lost when it runs again.\n`,
    writeSchemas(document, operations),
    writeCodes(operations, shared),
    writeCredentials(document),
    `/** Calls over HTTP. */\nexport interface Client {\n${called.map((one) => writeMethod(one)).join('')}}\n`,
    websocket === null ? '' : writeSocketTypes(operations, websocket),
    parts.http,
    websocket === null ? '' : parts.socket,
    writeOperations(operations),
    `export function createClient(options: ClientOptions): Client {\n  return {\n${called
      .map(({ name }) => {
        const key = toMethodName(name);
        return `    ${key}: (payload?: unknown, more?: SendOptions) => send(options, OPERATIONS.${key}, payload, more),\n`;
      })
      .join('')}  };\n}\n`,
    websocket === null ? '' : writeSocketValues(operations, websocket),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

/** Schemas that are named in the document, without those of problems. */
function writeSchemas(document: JsonObject, operations: readonly ClientOperation[]): string {
  const schemas = Object.entries(toObject(toObject(document['components'])['schemas']));
  const problems = new Set(['Problem', ...operations.flatMap(({ codes }) => codes)]);
  return schemas
    .filter(([name]) => !problems.has(name))
    .map(([name, json]) => {
      const schema = toObject(json);
      const input = name.endsWith('Payload');
      const options = { input, indent: '' };
      if (!isObjectSchema(schema)) return `export type ${name} = ${writeType(schema, options)};\n`;
      const required = toNames(schema['required']);
      const fields = writeFields(toObject(schema['properties']) as Record<string, JsonObject>, required, {
        input,
        indent: '  ',
      });
      return `export interface ${name} {\n${fields}}\n`;
    })
    .join('\n');
}

const toNames = (json: unknown): readonly string[] => (Array.isArray(json) ? json.map(String) : []);

const listSharedCodes = (operations: readonly ClientOperation[]): readonly string[] => {
  const [first, ...others] = operations.map(({ codes }) => new Set(codes));
  return [...(first ?? [])].filter((code) => others.every((codes) => codes.has(code)));
};

function writeCodes(operations: readonly ClientOperation[], shared: readonly string[]): string {
  const common = `/** Problems that every operation may have. */\nexport type SharedCodes = ${joinLiterals(shared)};\n`;
  const own = operations.map(({ name, codes }) => {
    const rest = codes.filter((code) => !shared.includes(code));
    return `export type ${name}Code = ${['SharedCodes', ...rest.map((code) => `'${code}'`)].join(' | ')};\n`;
  });
  return [common, ...own].join('');
}

const joinLiterals = (texts: readonly string[]): string =>
  texts.length === 0 ? 'never' : texts.map((text) => `'${text}'`).join(' | ');

interface Scheme {
  readonly header: string;
  readonly prefix: string;
}

function readScheme(scheme: JsonObject): Scheme {
  if (scheme['type'] !== 'http') return { header: asText(scheme['name']), prefix: '' };
  const word = asText(scheme['scheme']);
  return { header: 'Authorization', prefix: `${word.charAt(0).toUpperCase()}${word.slice(1)} ` };
}

function writeCredentials(document: JsonObject): string {
  const schemes = Object.entries(toObject(toObject(document['components'])['securitySchemes']));
  const all = schemes.map(([name, json]) => ({ name, ...readScheme(toObject(json)) }));
  const fields = all.map(
    ({ name, header, prefix }) =>
      `${writeComment(`Sent as \`${header}: ${prefix}…\`.`, '  ')}  readonly ${writeKey(name)}?: Credential | undefined;\n`,
  );
  const values = all.map(
    ({ name, header, prefix }) =>
      `  ${writeKey(name)}: { header: ${writeText(header)}, prefix: ${writeText(prefix)} },\n`,
  );
  return `export interface Credentials {\n${fields.join('')}}\n\nconst SCHEMES: Readonly<Record<string, { readonly header: string; readonly prefix: string }>> = {\n${values.join('')}};\n`;
}

function writeOperations(operations: readonly ClientOperation[]): string {
  const rows = operations.map((one) => {
    const value = {
      id: one.id,
      method: one.method,
      path: one.path,
      security: one.security.length === 0 ? [[]] : one.security,
      ...(one.isRepeatable && { repeatable: true }),
      ...(one.isForm && { form: true }),
      ...(one.hasFreeBody && { body: true }),
      ...(one.result !== null && { result: one.result }),
    };
    return `  ${toMethodName(one.name)}: ${JSON.stringify(value)},\n`;
  });
  return `const OPERATIONS = {\n${rows.join('')}} as const satisfies Readonly<Record<string, Operation>>;\n`;
}
