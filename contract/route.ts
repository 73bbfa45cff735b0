/** A path that a plugin serves: a stored file, a metrics page. */

export interface RouteRequest {
  readonly method: string;
  /** The decoded path after the route's own. */
  readonly rest: string;
  /** Without its question mark. */
  readonly query: string;
  /** The client address, as `Invocation.remote`. */
  readonly remote: string;
  /** One value for each occurrence; lower-case name. */
  readonly header: (name: string) => readonly string[];
}

export interface RouteReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface Route {
  /** Exact (`/metrics`), or a prefix with a trailing slash (`/files/`). */
  readonly path: string;
  /** `GET` implies `HEAD`. */
  readonly methods: readonly string[];
  /** Throw a Fault for an error response. */
  handle(request: RouteRequest): RouteReply | Promise<RouteReply>;
}
