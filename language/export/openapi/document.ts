/** Generates the OpenAPI 3.1 document from analysis and specs. Pure: contains no environment values. */
import type { JsonObject } from '../../../contract/json.js';
import { getProblemType } from '../../../contract/profile.js';
import type { ResourceModel } from '../../analysis/model.js';
import { describeWebSocket } from './websocket.js';
import { createOperation, formatOpenapiPath } from './operation.js';
import { describeResource, type ResourceDescription } from './resource.js';
import { createResponses, PROBLEM, REQUEST_ID } from './responses.js';
import { createScope, type OpenapiInput } from './scope.js';
import type { GuardScheme } from './security.js';

export type { OpenapiInput } from './scope.js';

export function createOpenapi(input: OpenapiInput): JsonObject {
  const scope = createScope(input);
  const schemes = createSchemeNames();
  const responses = createResponses(input.registry.codes, getProblemType(input.config.profile));
  const paths: Record<string, JsonObject> = {};
  const tags = new Set<string>();
  const served: (readonly [ResourceModel, ResourceDescription])[] = [];
  const { methods } = input.config.http;
  for (const resource of sortResources(input.analysis.resources)) {
    const described = describeResource(scope, resource);
    if (described === null) continue;
    served.push([resource, described]);
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
      };
      return [method.toLowerCase(), createOperation(operation)] as const;
    });
    paths[formatOpenapiPath(resource)] = Object.fromEntries(operations);
  }
  const connected = describeWebSocket(scope, served);
  const description = connected === null ? DESCRIPTION : `${DESCRIPTION}\n\n${connected.text}`;
  return {
    openapi: '3.1.0',
    info: { ...input.info, description },
    servers: [{ url: '/' }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      responses: responses.listUsed(),
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
