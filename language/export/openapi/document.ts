/** Generates the OpenAPI 3.1 document from analysis and specs. Pure: contains no environment values. */
import type { JsonObject } from '../../../contract/json.js';
import { getProblemType } from '../../../contract/profile.js';
import type { ResourceModel } from '../../analysis/model.js';
import { describeWebSocket } from './websocket.js';
import { createOperation, formatOpenapiPath } from './operation.js';
import { createNamedSchemas, nameOperations } from './names.js';
import { describeResource } from './resource.js';
import { createResponses, REQUEST_ID } from './responses.js';
import { createScope, type OpenapiInput } from './scope.js';
import type { GuardScheme } from './security.js';

export type { OpenapiInput } from './scope.js';

export function createOpenapi(input: OpenapiInput): JsonObject {
  const scope = createScope(input);
  const schemes = createSchemeNames();
  const schemas = createNamedSchemas(input.registry.codes);
  const responses = createResponses(input.registry.codes, getProblemType(input.config.profile), schemas);
  const paths: Record<string, JsonObject> = {};
  const tags = new Set<string>();
  const { methods } = input.config.http;
  const served = sortResources(input.analysis.resources).flatMap((resource) => {
    const described = describeResource(scope, resource);
    return described === null ? [] : [[resource, described] as const];
  });
  const names = nameOperations(served.map(([resource]) => formatOpenapiPath(resource)));
  for (const [resource, described] of served) {
    const path = formatOpenapiPath(resource);
    const [tag = ''] = resource.path.split('/').filter((segment) => !segment.startsWith(':'));
    tags.add(tag || resource.id);
    const security = described.security.map((way) => way.map((one) => schemes.nameOf(one)));
    const operations = methods.map((method) => {
      const operationId = methods.length === 1 ? resource.id : `${resource.id}:${method.toLowerCase()}`;
      const operation = {
        scope,
        resource,
        described,
        security,
        tag: tag || resource.id,
        operationId,
        method,
        responses,
        schemas,
        name: names.get(path) ?? resource.id,
      };
      return [method.toLowerCase(), createOperation(operation)] as const;
    });
    paths[path] = Object.fromEntries(operations);
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as JsonObject[]);
  const shared = responses.shareRepeated(
    operations.map((operation) => operation['responses'] as Record<string, JsonObject>),
  );
  const connected = describeWebSocket(scope, served, schemas);
  const description = connected === null ? DESCRIPTION : `${DESCRIPTION}\n\n${connected.text}`;
  return {
    openapi: '3.1.0',
    info: { ...input.info, description },
    servers: [{ url: '/' }],
    tags: [...tags].sort().map((name) => ({ name, description: `Resources at \`/${name}\`.` })),
    paths,
    components: {
      schemas: schemas.list(),
      responses: shared,
      headers: { RequestId: REQUEST_ID },
      ...(schemes.all.size > 0 && { securitySchemes: Object.fromEntries(schemes.all) }),
    },
    ...(connected !== null && { 'x-lintel-websocket': connected.extension }),
  };
}

const DESCRIPTION =
  'Made by Lintel from the definitions that it serves. Every refusal is a problem document (RFC 9457) with a stable `code`. ' +
  'A resource answers under its id as well as under its path. Where a body is an object in JSON, its fields may also come as ' +
  'text parts of a form (`multipart/form-data`).';

/** Valid resources by path, so the document does not depend on the order of files. */
const sortResources = (resources: readonly ResourceModel[]): ResourceModel[] =>
  resources.filter(({ sound }) => sound).sort((a, b) => (a.path < b.path ? -1 : 1));

/** Equal schemes with different identities need different tokens, hence different names. */
function createSchemeNames(): { readonly all: Map<string, JsonObject>; nameOf: (guarding: GuardScheme) => string } {
  const all = new Map<string, JsonObject>();
  const known = new Map<string, string>();
  return {
    all,
    nameOf: ({ name, scheme, identity }) => {
      const found = known.get(identity);
      if (found !== undefined) return found;
      let free = name;
      for (let n = 2; all.has(free); n++) free = `${name}-${n}`;
      all.set(free, scheme);
      known.set(identity, free);
      return free;
    },
  };
}
