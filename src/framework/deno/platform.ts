/**
 * The used part of Deno, so that reading our types needs none of Deno's.
 *
 * Spec: spec/engines.md
 */

/** A started server. */
export interface DenoServer {
  readonly addr: { readonly port?: number };
  readonly finished: Promise<void>;
  /** Accepts no new connection. Resolves when nothing is in flight. */
  shutdown(): Promise<void>;
}

/** The options of `Deno.serve`. */
export interface DenoServeConfig {
  readonly port: number;
  readonly hostname?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly reusePort?: boolean;
  readonly signal: AbortSignal;
  readonly onListen: () => void;
  readonly onError: (error: unknown) => Response;
}

/** Deno's information about a request. */
export interface DenoServeInfo {
  readonly remoteAddr: { readonly hostname?: string };
}

/** The used part of the web's `WebSocket`. */
export interface DenoSocket {
  binaryType: "blob" | "arraybuffer";
  readonly readyState: number;
  readonly bufferedAmount: number;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: string | ArrayBuffer }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  send(message: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
}

/** The global `Deno`. */
export interface DenoRuntime {
  serve(
    config: DenoServeConfig,
    handler: (request: Request, info: DenoServeInfo) => Response | Promise<Response>,
  ): DenoServer;
  upgradeWebSocket(
    request: Request,
    options: { readonly idleTimeout: number },
  ): { readonly socket: DenoSocket; readonly response: Response };
}
