/**
 * The used part of Bun, so that reading our types needs none of Bun's.
 *
 * Spec: spec/engines.md
 */

/** The data and callbacks of each WebSocket. */
export interface BunSocketData {
  opened(socket: BunSocket): void;
  drained(): void;
  emit(event: string, ...args: readonly unknown[]): void;
}

/** One WebSocket of Bun's. */
export interface BunSocket {
  readonly data: BunSocketData;
  readonly readyState: number;
  /** Bytes sent, or 0 for a dropped message, or −1 for a waiting one. */
  send(message: string | Uint8Array): number;
  ping(): number;
  close(code?: number, reason?: string): void;
  terminate(): void;
  getBufferedAmount(): number;
}

/** The callbacks of `Bun.serve` for every WebSocket. */
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

/** The options of `Bun.serve`. */
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

/** A certificate, as `Bun.serve` takes it: texts, or files of `Bun.file`. */
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
