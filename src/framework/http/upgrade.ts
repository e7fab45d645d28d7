/**
 * Upgrade: a connection that leaves HTTP for another protocol (RFC 9110 §7.8).
 *
 *   app.ws ──▶ middleware ──▶ handler: ctx.upgrade(accept), recorded ──▶ hooks ──▶ commit ──▶ exchange.upgrade
 *                 └─ 401, 403, 426 …: an ordinary response                                        └──▶ accept(connection)
 *
 * The core knows no protocol: `accept` sends the 101 and speaks it. The request is over when `accept` says so, with the
 * status 101: until then it counts as in flight, and a stop of the app waits for it.
 *
 * Spec: spec/websocket.md
 */
import type { Upgraded } from "./exchange.ts";

/** Something that has happened on an upgraded connection. */
export interface ConnectionEvent {
  /** Which of its handlers hears of it, e.g. `open`, `message`, `close`. */
  readonly event: string;
  /** What came with it, such as the message. */
  readonly data?: unknown;
}

/** A connection that has left HTTP, and what the app has to do with it from then on. */
export interface UpgradedConnection extends Omit<Upgraded, "over"> {
  /** Flat list of the header names and values that the app has recorded: those of the 101, besides its own. */
  readonly headers: readonly string[];
  /**
   * Runs work for the connection in the async context of its handler, inside of whoever watches the app's background work,
   * who hear of the event too. Gives back what it gives.
   */
  run<R>(name: string, work: () => R, event?: ConnectionEvent): R;
  /** Calls the listener when the app stops; at once where it stops already. */
  onStop(listener: () => void): void;
  /** Tells the app's logger of an error. */
  report(what: string, error: unknown): void;
  /** The connection is closed, though work for it may still run: the signal of the request aborts. */
  closed(): void;
  /** To be called once, when nothing more is to be done for the connection. `aborted`: it broke off. */
  over(bytes: number, aborted: boolean): void;
}

/** Speaks another protocol on the connection from now on. What it throws cuts the connection. */
export type UpgradeHandler = (connection: UpgradedConnection) => void;
