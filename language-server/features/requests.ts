/** Custom requests of the editor's panels: the resources, and the request shape of one. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Range } from 'vscode-languageserver';
import type { RequestShape } from '../../language/export/openapi/request.js';
import { findMember, type LocatedNode } from '../../language/source/tree.js';
import { rangeAt } from '../../language/source/document.js';
import type { Definition, ResourceModel } from '../../language/analysis/model.js';
import type { ServerContext, Feature } from '../server-context.js';
import { logError } from '../log-error.js';
import type { Project } from '../project.js';

/** An entry of the resource picker. */
export interface ListedResource {
  readonly id: string;
  readonly path: string;
  readonly uri: string;
  readonly range: Range;
  /** URI of the folder that contains the config file. */
  readonly folder: string;
  /** False if it has errors and is not served. */
  readonly sound: boolean;
  /** Ranges of its actionables by key (`sign-up#2`). */
  readonly actions: Readonly<Record<string, Range>>;
}

export interface RequestShapeParams {
  /** As in `ListedResource`; without it, the first project with such a resource. */
  readonly folder?: string;
  readonly resource: string;
}

export interface RequestShapeResult extends RequestShape {
  readonly sound: boolean;
  readonly folder: string;
}

/** The port from a project's config. */
export interface ServedProject {
  readonly folder: string;
  readonly port: number;
}

/** A test file with its cases, for the Test Explorer. */
export interface ListedTests {
  readonly folder: string;
  readonly uri: string;
  /** Relative to the folder, as `lintel test` reports it. */
  readonly file: string;
  readonly id: string;
  readonly range: Range;
  readonly cases: readonly { readonly id: string; readonly range: Range }[];
}

export const requests: Feature = {
  capabilities: () => ({ experimental: { lintelRequests: true } }),
  attach(server) {
    const catchErrors = <R>(nothing: R, answer: () => Promise<R>): Promise<R> =>
      answer().catch((error: unknown) => {
        logError(server.connection, error);
        return nothing;
      });
    server.connection.onRequest('lintel/resources', () => catchErrors([], () => listResources(server)));
    server.connection.onRequest('lintel/projects', () => catchErrors([], () => listServedProjects(server)));
    server.connection.onRequest('lintel/tests', () => catchErrors([], () => listTests(server)));
    server.connection.onRequest('lintel/request', (asked: Partial<RequestShapeParams> | null) =>
      catchErrors(null, () => findRequestShape(server, asked ?? {})),
    );
  },
};

const listServedProjects = async (server: ServerContext): Promise<ServedProject[]> =>
  (await server.listProjects()).map((project) => {
    const { http } = project.config;
    return { folder: pathToFileURL(project.folder).href, port: http.port };
  });

async function listResources(server: ServerContext): Promise<ListedResource[]> {
  const projects = await server.listProjects();
  return projects.flatMap((project) =>
    project.getSnapshot().analysis.resources.map((resource) => toListedResource(server, project, resource)),
  );
}

function toListedResource(server: ServerContext, { folder }: Project, resource: ResourceModel): ListedResource {
  const { id, path, definition, sound, actions } = resource;
  const { doc, node } = definition;
  const span = findMember(node, 'id')?.value ?? node;
  return {
    id,
    path,
    uri: server.toClientUri(join(folder, doc.file)),
    range: rangeAt(doc, span.start, span.end),
    folder: pathToFileURL(folder).href,
    sound,
    actions: Object.fromEntries(
      actions.map((action) => [action.key, rangeAt(doc, action.node.start, action.node.end)]),
    ),
  };
}

async function listTests(server: ServerContext): Promise<ListedTests[]> {
  const projects = await server.listProjects();
  return projects.flatMap((project) =>
    project.getSnapshot().analysis.tests.map((definition) => toListedTests(server, project, definition)),
  );
}

/** What is incomplete has an empty id. */
function toListedTests(server: ServerContext, { folder }: Project, { doc, node }: Definition): ListedTests {
  const locateId = (at: LocatedNode): { readonly id: string; readonly range: Range } => {
    const id = findMember(at, 'id')?.value ?? null;
    const { start, end } = id ?? at;
    return { id: String(id?.scalar ?? ''), range: rangeAt(doc, start, end) };
  };
  const cases = (findMember(node, 'cases')?.value?.items ?? []).map(locateId);
  const uri = server.toClientUri(join(folder, doc.file));
  return { folder: pathToFileURL(folder).href, uri, file: doc.file, ...locateId(node), cases };
}

async function findRequestShape(
  server: ServerContext,
  { folder, resource: id }: Partial<RequestShapeParams>,
): Promise<RequestShapeResult | null> {
  const { createRequestShape } = await import('../request-samples.js');
  for (const project of await server.listProjects()) {
    const href = pathToFileURL(project.folder).href;
    if (folder !== undefined && folder !== href) continue;
    const { analysis, config } = project.getSnapshot();
    const resource =
      analysis.resources.find((one) => one.id === id) ?? analysis.resources.find((one) => one.path === id);
    if (resource === undefined) continue;
    const info = { title: '', version: '' };
    const shape = createRequestShape(
      { analysis, registry: project.registry, config, info, sql: project.sql },
      resource,
    );
    return shape === null ? null : { ...shape, sound: resource.sound, folder: href };
  }
  return null;
}
