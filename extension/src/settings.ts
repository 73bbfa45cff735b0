/** The settings of the extension with their types; what they mean and their defaults stand in the manifest. */
import { workspace, type Uri } from 'vscode';

interface Settings {
  readonly 'server.path': string;
  readonly 'request.baseUrl': string;
  readonly 'codeLens.enabled': boolean;
}

export function setting<K extends keyof Settings>(name: K, scope?: Uri): Settings[K] {
  const value = workspace.getConfiguration('lintel', scope).get<Settings[K]>(name);
  if (value === undefined) throw new Error(`The manifest has no setting lintel.${name}.`);
  return value;
}

/** Where the kernel answers, without a slash at the end. Null where nobody has said so. */
export function chosenBaseUrl(): string | null {
  const value = setting('request.baseUrl');
  // Wherever it was said: for a workspace, a person, or a machine far away.
  const standard = workspace.getConfiguration('lintel').inspect<string>('request.baseUrl')?.defaultValue;
  return value === standard || value.trim() === '' ? null : bare(value);
}

/** The same, or the default. */
export const baseUrl = (): string => chosenBaseUrl() ?? bare(setting('request.baseUrl'));

const bare = (url: string): string => url.trim().replace(/\/+$/, '');
