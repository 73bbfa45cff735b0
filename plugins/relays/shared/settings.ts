/** The options of every relay, as numbers; they are already validated. */
import { DEFAULT_KEEP, DEFAULT_MOST } from './fields.light.js';

export interface RelaySettings {
  readonly replay: boolean;
  /** Milliseconds. */
  readonly keep: number;
  readonly most: number;
}

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

export const readRelaySettings = (options: Readonly<Record<string, unknown>>): RelaySettings => ({
  replay: options['replay'] === true,
  keep: number(options['keep'], DEFAULT_KEEP) * 1000,
  most: number(options['most'], DEFAULT_MOST),
});
