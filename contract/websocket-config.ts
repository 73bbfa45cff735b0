/** The config section `websocket`, with its defaults. */
export interface WebSocketConfig {
  readonly enabled: boolean;
  readonly path: string;
  readonly force_uid: boolean;
  readonly force_token: boolean;
  /** The token claim with the uid that a connection may use. */
  readonly uid_claim: string;
  /** Seconds. */
  readonly ping: number;
  readonly limits: WebSocketLimits;
}

export type WebSocketLimits = Readonly<
  Record<'message' | 'rate' | 'in_flight' | 'buffered' | 'unfinished' | 'connections' | 'per_address' | 'rooms', number>
>;
