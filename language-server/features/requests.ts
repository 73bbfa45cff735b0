/** Custom requests of the editor's panels: the list of resources, and the request shape of one. Sends no HTTP request. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Range } from 'vscode-languageserver';
import { requestOf, type RequestShape } from '../../language/export/openapi/request.js';
import { memberOf } from '../../language/source/tree.js';
import { rangeAt } from '../../language/source/document.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import type { Desk, Feature } from '../desk.js';
import { tellFailure } from '../failure.js';
import type { Project } from '../project.js';

/** An entry of the resource picker. */
export interface ListedResource {
  readonly id: string;
  readonly path: string;
  readonly uri: string;
  /** Range of its id. */
  readonly range: Range;
  /** URI of the folder that contains the config file. */
  readonly folder: string;
  /** False if it has errors and is not served. */
  readonly sound: boolean;
  /** Ranges of its actionables by key (`sign-up#2`). */
  readonly actions: Readonly<Record<string, Range>>;
}

export interface RequestAsked {
  /** As in `ListedResource`; without it, the first project with such a resource. */
  readonly folder?: string;
  readonly resource: string;
}

export interface RequestTold extends RequestShape {
  readonly sound: boolean;
  readonly folder: string;
}

/** The port from a project's config. */
export interface ServedProject {
  readonly folder: string;
  readonly port: number;
}

export const requests: Feature = {
  capabilities: () => ({ experimental: { lintelRequests: true } }),
  attach(desk) {
    const guarded = <R>(nothing: R, answer: () => Promise<R>): Promise<R> =>
      answer().catch((error: unknown) => {
        tellFailure(desk.connection, error);
        return nothing;
      });
    desk.connection.onRequest('lintel/resources', () => guarded([], () => resourcesOf(desk)));
    desk.connection.onRequest('lintel/projects', () => guarded([], () => projectsOf(desk)));
    desk.connection.onRequest('lintel/request', (asked: Partial<RequestAsked> | null) =>
      guarded(null, () => requestFor(desk, asked ?? {})),
    );
  },
};

const projectsOf = async (desk: Desk): Promise<ServedProject[]> =>
  (await desk.projects()).map((project) => {
    const { http } = project.config;
    return { folder: pathToFileURL(project.folder).href, port: http.port };
  });

async function resourcesOf(desk: Desk): Promise<ListedResource[]> {
  const projects = await desk.projects();
  return projects.flatMap((project) =>
    project.snapshot().analysis.resources.map((resource) => listed(desk, project, resource)),
  );
}

function listed(desk: Desk, { folder }: Project, resource: ResourceModel): ListedResource {
  const { id, path, definition, sound, actions } = resource;
  const { doc, node } = definition;
  const span = memberOf(node, 'id')?.value ?? node;
  return {
    id,
    path,
    uri: desk.uriOf(join(folder, doc.file)),
    range: rangeAt(doc, span.start, span.end),
    folder: pathToFileURL(folder).href,
    sound,
    actions: Object.fromEntries(
      actions.map((action) => [action.key, rangeAt(doc, action.node.start, action.node.end)]),
    ),
  };
}

async function requestFor(desk: Desk, { folder, resource: id }: Partial<RequestAsked>): Promise<RequestTold | null> {
  for (const project of await desk.projects()) {
    const href = pathToFileURL(project.folder).href;
    if (folder !== undefined && folder !== href) continue;
    const { analysis, config } = project.snapshot();
    const resource =
      analysis.resources.find((one) => one.id === id) ?? analysis.resources.find((one) => one.path === id);
    if (resource === undefined) continue;
    const info = { title: '', version: '' };
    const shape = requestOf({ analysis, registry: project.registry, config, info, sql: project.sql }, resource);
    return shape === null ? null : { ...shape, sound: resource.sound, folder: href };
  }
  return null;
}
