/** The shape of an operation of the conformance command: fields of one case in, one outcome out. */
export interface Outcome {
  readonly ok: boolean;
  readonly out?: unknown;
  readonly error?: string;
  readonly status?: number;
  readonly footer?: string;
}

export type Op = (input: Readonly<Record<string, unknown>>) => Promise<Outcome> | Outcome;

/** By name, `token.verify`. */
export type Ops = Readonly<Record<string, Op>>;

export const readTextInput = (input: Readonly<Record<string, unknown>>, name: string): string => {
  const value = input[name];
  return typeof value === 'string' ? value : '';
};

export const readHexInput = (input: Readonly<Record<string, unknown>>, name: string): Buffer =>
  Buffer.from(readTextInput(input, name), 'hex');
