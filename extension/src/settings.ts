/** Typed access to the extension's settings. Descriptions and defaults are in the manifest. */
import { workspace, type Uri } from 'vscode';

interface Settings {
  readonly 'server.path': string;
  readonly 'request.baseUrl': string;
  readonly 'database.enabled': boolean;
  readonly 'codeLens.enabled': boolean;
}

export function getSetting<K extends keyof Settings>(name: K, scope?: Uri): Settings[K] {
  const value = workspace.getConfiguration('lintel', scope).get<Settings[K]>(name);
  if (value === undefined) throw new Error(`The manifest has no setting lintel.${name}.`);
  return value;
}

/** Without trailing slash; null if the setting has its default. */
export function findConfiguredBaseUrl(): string | null {
  const value = getSetting('request.baseUrl');
  // The value may be set at any scope (workspace, user, remote).
  const standard = workspace.getConfiguration('lintel').inspect<string>('request.baseUrl')?.defaultValue;
  return value === standard || value.trim() === '' ? null : trimBaseUrl(value);
}

export const getBaseUrl = (): string => findConfiguredBaseUrl() ?? trimBaseUrl(getSetting('request.baseUrl'));

const trimBaseUrl = (url: string): string => url.trim().replace(/\/+$/, '');
