/** Types of the server's responses to the panels, documented in its `features/requests.ts`. */
import type { LanguageClient, Position, Range } from 'vscode-languageclient/node';
import type { Session } from '../client.js';

export interface ListedResource {
  readonly id: string;
  readonly path: string;
  readonly uri: string;
  readonly range: Range;
  readonly folder: string;
  readonly sound: boolean;
  readonly actions: Readonly<Record<string, Range>>;
}

export interface Credential {
  readonly name: string;
  readonly header: string;
  readonly prefix: string;
  readonly doc: string;
}

export interface RequestShape {
  readonly id: string;
  readonly path: string;
  readonly methods: readonly string[];
  readonly withoutBody: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly sample: string }[];
  readonly headers: readonly { readonly name: string; readonly doc: string; readonly required: boolean }[];
  readonly ways: readonly (readonly Credential[])[];
  readonly payload: unknown;
  readonly optional: Readonly<Record<string, unknown>>;
  readonly files: readonly {
    readonly name: string;
    readonly doc: string;
    readonly most: number;
    readonly bytes: number | null;
    readonly types: readonly string[];
  }[];
  readonly answers: { readonly list: boolean; readonly names: readonly string[] } | null;
  readonly accepted: boolean;
  readonly events: readonly { readonly action: string; readonly to: string }[];
  readonly secrets: readonly string[];
  readonly sound: boolean;
  readonly folder: string;
}

export interface ServedProject {
  readonly folder: string;
  readonly port: number;
}

export interface ListedTests {
  readonly folder: string;
  readonly uri: string;
  readonly file: string;
  readonly id: string;
  readonly range: Range;
  readonly cases: readonly { readonly id: string; readonly range: Range }[];
}

/** A step of a value, documented in the server's `features/value-flow.ts`. */
export interface FlowStep {
  readonly label: string;
  readonly detail: string;
  /** The value leaves the project here. */
  readonly leaves: boolean;
  /** Key of the actionable, or id of the resource. */
  readonly place: string;
  readonly uri: string;
  readonly range: Range;
}

export interface ValueFlow {
  readonly name: string;
  readonly groups: readonly { readonly title: string; readonly steps: readonly FlowStep[] }[];
}

/** Empty or null without a server that supports the request. */
export const fetchResources = (session: Session): Promise<readonly ListedResource[]> =>
  sendWhenStarted(session, [], (client) => client.sendRequest<readonly ListedResource[]>('lintel/resources'));

export const fetchValueFlow = (session: Session, uri: string, position: Position): Promise<ValueFlow | null> =>
  sendWhenStarted(session, null, (client) =>
    client.sendRequest<ValueFlow | null>('lintel/valueFlow', { textDocument: { uri }, position }),
  );

export const fetchRequestShape = (session: Session, { folder, id }: ListedResource): Promise<RequestShape | null> =>
  sendWhenStarted(session, null, (client) =>
    client.sendRequest<RequestShape | null>('lintel/request', { folder, resource: id }),
  );

export const fetchTests = (session: Session): Promise<readonly ListedTests[]> =>
  sendWhenStarted(session, [], (client) => client.sendRequest<readonly ListedTests[]>('lintel/tests'));

export const fetchProjects = (session: Session): Promise<readonly ServedProject[]> =>
  sendWhenStarted(session, [], (client) => client.sendRequest<readonly ServedProject[]>('lintel/projects'));

async function sendWhenStarted<R>(
  session: Session,
  nothing: R,
  send: (client: LanguageClient) => Promise<R>,
): Promise<R> {
  await waitUntilStarted(session);
  const client = session.client();
  return client === null ? nothing : send(client).catch(() => nothing);
}

async function waitUntilStarted(session: Session): Promise<void> {
  if (session.state() !== 'starting') return;
  await new Promise<void>((resolve) => {
    const listener = session.onDidChange(() => {
      if (session.state() === 'starting') return;
      listener.dispose();
      resolve();
    });
  });
}
