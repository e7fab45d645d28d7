/**
 * leaveHttp: hands a request's connection over to another protocol, as `upgrade.ts` describes.
 *
 * Spec: spec/websocket.md
 */
import type { Context } from "./context.ts";
import type { DeclaredMessages } from "./declared-messages.ts";
import type { Exchange, Upgraded } from "./exchange.ts";
import type { ConnectionEvent, ConnectionMessages, UpgradedConnection, UpgradeHandler } from "./upgrade.ts";

/** The app, as leaving HTTP needs it. */
export interface UpgradeServices {
  /** Ends each open event stream and WebSocket when the app stops, by aborting its signal. */
  readonly streams: Set<() => void>;
  report(what: string, error: unknown): void;
  /** Has `app.stop()` been called? Streams opened from then on end immediately. */
  isStopping(): boolean;
  /** Runs work inside the observers of the app's background work, and returns its result. */
  around(name: string, work: () => unknown, event?: ConnectionEvent, ctx?: Context): unknown;
}

/** The request, as leaving HTTP needs it. */
export interface LeavingRequest extends Context {
  readonly exchange: Exchange;
  readonly target: { readonly messages: DeclaredMessages | undefined };
  readonly services: UpgradeServices;
  delivered(bytes: number, aborted: boolean): void;
  /** Runs work in the async context of the handler. */
  inScope<R>(work: () => R): R;
}

/** The response, as its upgrade needs it. */
interface Leaving {
  readonly accept: UpgradeHandler;
  readonly headers: readonly string[];
  closed(): void;
}

/** The connection as its new owner sees it. A class with few closures, since there is one for each open connection. */
class LeftConnection implements UpgradedConnection {
  readonly request: object;
  readonly socket: object;
  readonly head: Uint8Array;
  readonly headers: readonly string[];
  readonly closed: () => void;
  readonly messages: ConnectionMessages | undefined;
  readonly #ctx: LeavingRequest;
  readonly #raw: Upgraded;
  #stop: (() => void) | undefined;

  constructor(ctx: LeavingRequest, raw: Upgraded, { headers, closed }: Leaving) {
    this.request = raw.request;
    this.socket = raw.socket;
    this.head = raw.head;
    this.headers = headers;
    this.closed = closed;
    this.messages = messagesFor(ctx);
    this.#ctx = ctx;
    this.#raw = raw;
  }

  run<R>(name: string, work: () => R, event?: ConnectionEvent): R {
    const ctx = this.#ctx;
    return ctx.inScope(() => ctx.services.around(name, work, event, ctx)) as R;
  }

  onStop(listener: () => void): void {
    this.#stop = listener;
    const { services } = this.#ctx;
    services.streams.add(listener);
    if (services.isStopping()) listener();
  }

  report(what: string, error: unknown): void {
    this.#ctx.services.report(what, error);
  }

  over(bytes: number, aborted: boolean): void {
    if (this.#stop !== undefined) this.#ctx.services.streams.delete(this.#stop);
    this.#raw.over();
    this.#ctx.delivered(bytes, aborted);
  }
}

/** The declared messages of the request's route. */
function messagesFor(ctx: LeavingRequest): ConnectionMessages | undefined {
  const { messages } = ctx.target;
  if (messages === undefined) return undefined;
  const { read, write } = messages;
  return { read, write: write && ((message) => write(ctx, message)) };
}

/** Hands the connection of that request over. @throws Error when that is impossible. */
export function leaveHttp(ctx: LeavingRequest, leaving: Leaving): void {
  const { exchange } = ctx;
  if (exchange.upgrade === undefined)
    throw new Error("this connection cannot leave HTTP: ctx.upgrade() is for the handlers of app.ws");
  exchange.upgrade((raw) => {
    const connection = new LeftConnection(ctx, raw, leaving);
    try {
      leaving.accept(connection);
    } catch (error) {
      connection.report("what takes an upgraded connection failed", error);
      exchange.cut();
      connection.over(0, true);
    }
  });
}
