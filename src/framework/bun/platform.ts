/**
 * What of Bun is used, as far as it is used: nobody needs Bun's types to read ours.
 *
 * Spec: spec/engines.md
 */

/** What is kept with each WebSocket, and told of it. */
export interface BunSocketData {
  opened(socket: BunSocket): void;
  drained(): void;
  emit(event: string, ...args: readonly unknown[]): void;
}

/** One WebSocket of Bun's. */
export interface BunSocket {
  readonly data: BunSocketData;
  readonly readyState: number;
  /** Bytes sent; 0 for a message that was dropped, −1 for one that waits. */
  send(message: string | Uint8Array): number;
  ping(): number;
  close(code?: number, reason?: string): void;
  terminate(): void;
  getBufferedAmount(): number;
}

/** What `Bun.serve` calls for every WebSocket. */
export interface BunSocketHandlers {
  readonly open: (socket: BunSocket) => void;
  readonly message: (socket: BunSocket, message: string | Uint8Array) => void;
  readonly drain: (socket: BunSocket) => void;
  readonly ping: (socket: BunSocket) => void;
  readonly pong: (socket: BunSocket) => void;
  readonly close: (socket: BunSocket, code: number, reason: string) => void;
  readonly idleTimeout: number;
  readonly sendPings: boolean;
  readonly maxPayloadLength: number;
  readonly backpressureLimit: number;
  readonly perMessageDeflate: boolean;
}

/** A started server. */
export interface BunServer {
  readonly port?: number | undefined;
  readonly pendingRequests: number;
  readonly pendingWebSockets: number;
  requestIP(request: Request): { readonly address: string } | null;
  upgrade(request: Request, options: { readonly data: BunSocketData; readonly headers: Headers }): boolean;
  stop(closeActiveConnections?: boolean): Promise<void> | void;
}

/** What `Bun.serve` is started with. */
export interface BunServeConfig {
  readonly port: number;
  readonly hostname?: string;
  readonly tls?: BunTls | readonly BunTls[];
  readonly idleTimeout: number;
  readonly maxRequestBodySize?: number;
  readonly reusePort?: boolean;
  readonly development: false;
  readonly fetch: (request: Request, server: BunServer) => Response | Promise<Response>;
  readonly error: (error: Error) => Response;
  readonly websocket: BunSocketHandlers;
}

/** A certificate, as `Bun.serve` takes it: texts, or files by `Bun.file`. */
export interface BunTls {
  readonly key?: unknown;
  readonly cert?: unknown;
  readonly ca?: unknown;
  readonly passphrase?: string;
  readonly serverName?: string;
  readonly [name: string]: unknown;
}

/** The global `Bun`. */
export interface BunRuntime {
  serve(config: BunServeConfig): BunServer;
}
