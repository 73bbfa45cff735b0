/** A kernel under test with its server, started once for all cases of an environment. */
import { asText, type Json, type JsonObject } from '../../contract/json.js';
import type { Delivery } from '../../contract/delivery.js';
import type { Fault } from '../../contract/fault.js';
import type { TestRequest } from '../../contract/tests.js';
import { listen } from '../../kernel/http/server.js';
import { createKernel, type Kernel } from '../../kernel/runtime/kernel.js';
import { resolveOptions } from '../../language/project/plugin-selection.js';
import type { Project } from '../../language/project/project.js';
import { toJsonObject } from '../../language/source/tree.js';
import { asObjects } from './definition.js';
import type { Coverage } from './coverage.js';
import type { TestDebugger } from './debugging.js';
import { createTestClients, type TestClients } from './clients.js';
import type { TestIdentifiers } from './identifiers.js';
import { createTestJobs, type TestJobs } from './jobs.js';
import type { Match } from './match.js';
import type { TestServices } from './services.js';
import type { TestTime } from './time.js';
import { createSender, parseJson, type ReceivedResponse, type OutgoingRequest } from './send.js';
import type { Log } from '../../contract/plugin.js';

export interface TestServer {
  readonly kernel: Kernel;
  readonly url: string;
  /** Of a resource by its id; null: it is not served. */
  findPath(id: string): string | null;
  /** The id of the resource at a path; empty where there is none. */
  findResource(path: string): string;
  createCredentials(request: Omit<TestRequest, 'resource' | 'now' | 'text'>): Promise<Readonly<Record<string, string>>>;
  send(sent: OutgoingRequest): Promise<ReceivedResponse>;
  /** Null unless it is measured. */
  readonly coverage: Coverage | null;
  readonly debug: TestDebugger | null;
  readonly jobs: TestJobs;
  /** Of this case. */
  readonly clients: TestClients;
  readonly services: TestServices;
  /** Messages to WebSocket clients in this case. */
  readonly messages: readonly Delivery[];
  begin(given: JsonObject, match: Match): void;
  /** Why the last request failed with a status of the server, if it did. */
  explainFailure(): string | null;
  close(): Promise<void>;
}

export interface ServerInput {
  readonly project: Project;
  readonly services: TestServices;
  readonly identifiers: TestIdentifiers;
  readonly time: TestTime;
  readonly coverage: Coverage | null;
  readonly debug: TestDebugger | null;
  /** Jobs are stored on a server, which has a time of its own. */
  readonly queueOnServer: boolean;
}

const IGNORED = (): void => undefined;
const SILENT: Log = { debug: IGNORED, info: IGNORED, warn: IGNORED, error: IGNORED, isLevelEnabled: () => false };

export async function startServer({
  project,
  services,
  identifiers,
  time,
  coverage,
  debug,
  queueOnServer,
}: ServerInput): Promise<TestServer> {
  let failure: Fault | null = null;
  const onFailure = (fault: Fault): void => void (failure = fault);
  const kernel = await createKernel({
    project,
    log: SILENT,
    onProblem: 'refuse',
    onFailure,
    register: coverage?.register,
  });
  const server = await listen(kernel).catch(async (error: unknown) => {
    await kernel.close('failed start');
    throw error;
  });
  const sender = createSender(time);
  const jobs = createTestJobs(kernel, time, () => (queueOnServer ? time.readRealTime() : time.now()));
  const clients = createTestClients(time);
  let messages: Delivery[] = [];
  kernel.running.registerReceiver((message) => void messages.push({ ...message, to: nameRooms(message.to) }));
  return {
    kernel,
    url: server.url,
    findPath: (id) => {
      const plan = kernel.plans().byId.get(id);
      // Parameters come from the payload where the resource is called by its id.
      return plan === undefined ? null : plan.path.includes(':') ? id : plan.path;
    },
    findResource: (path) => {
      const { byPath, patterns } = kernel.plans();
      return (byPath.get(path) ?? patterns.find(path)?.plan)?.id ?? '';
    },
    createCredentials: (request) => createCredentials(kernel, request),
    send: (sent) => {
      failure = null;
      return sender.send(sent);
    },
    coverage,
    debug,
    jobs,
    clients,
    services,
    get messages() {
      return messages;
    },
    begin(given, match) {
      const instant = Date.parse(asText(given['now']));
      time.begin(Number.isNaN(instant) ? null : instant);
      jobs.begin();
      services.begin(asObjects(given['services']), match);
      identifiers.begin(asObjects(given['identifiers']));
      messages = [];
    },
    explainFailure: () => failure && describeFault(failure),
    async close() {
      sender.close();
      await clients.closeAll();
      await server.stop(5);
      await kernel.close('tests are over');
    },
  };
}

/** A room is addressed by a list of parts; tests write their text. */
function nameRooms(to: Delivery['to']): Delivery['to'] {
  if (!('rooms' in to)) return to;
  const nameRoom = (room: string): string => {
    const parts = parseJson(room);
    return Array.isArray(parts) ? parts.flat(Infinity).join('') : room;
  };
  return { rooms: to.rooms.map(nameRoom) };
}

function describeFault({ code, options }: Fault): string {
  const { cause } = options;
  return cause instanceof Error ? `${code}: ${cause.message}` : code;
}

/** Headers that admit a request to its resource; none where no guard can make them. */
export async function createCredentials(
  kernel: Kernel,
  request: Omit<TestRequest, 'resource' | 'now' | 'text'>,
): Promise<Readonly<Record<string, string>>> {
  const { instances, project } = kernel;
  const resource = kernel.analysis().resources.find(({ id }) => id === request.id);
  if (resource === undefined) return {};
  const uses = new Set(resource.places.map(({ plugin }) => plugin));
  const value: JsonObject = toJsonObject(resource.definition.node);
  const text = (json: Json): string => asText(resolveOptions({ json }, project.env)['json']);
  const all: Record<string, string> = {};
  for (const one of instances) {
    if (one.runtime.createCredentials === undefined || !uses.has(one.id)) continue;
    const full: TestRequest = { ...request, resource: value, now: Date.now(), text };
    Object.assign(all, await one.runtime.createCredentials(one.handle(), full, one.context));
  }
  return all;
}
