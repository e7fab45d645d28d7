/**
 * Upgrade: a connection that leaves HTTP for another protocol (RFC 9110 §7.8).
 *
 *   app.ws ──▶ middleware ──▶ handler: ctx.upgrade(accept), recorded ──▶ hooks ──▶ commit ──▶ exchange.upgrade
 *                 └─ 401, 403, 426 …: an ordinary response                                        └──▶ accept(connection)
 *
 * The core knows no protocol. `accept` sends the 101 and speaks it. The request ends when `accept` reports that, with the
 * status 101. Until then it counts as in flight, and a stop of the app waits for it.
 *
 * Spec: spec/websocket.md
 */
import type { Upgraded } from "./exchange.ts";

/** An event on an upgraded connection. */
export interface ConnectionEvent {
  /** The handler for it, e.g. `open`, `message`, `close`. */
  readonly event: string;
  /** Its data, such as the message. */
  readonly data?: unknown;
}

/** A message for the handler, or how the connection is closed. */
export type ReadMessage = { readonly value: unknown } | { readonly code: number; readonly reason: string };

/** The declared messages of a connection. */
export interface ConnectionMessages {
  /** The value of a client's message, or how the connection must be closed. A promise only when its schema is asynchronous. */
  readonly read: ((message: string | Uint8Array) => ReadMessage | Promise<ReadMessage>) | undefined;
  /** The text of a message to the client. @throws Error when its schema rejects it and it must not be sent. */
  readonly write: ((message: unknown) => string) | undefined;
}

/** A connection that has left HTTP, and the app's functions for it. */
export interface UpgradedConnection extends Omit<Upgraded, "over"> {
  /** The messages that the route's contract declares. Undefined without any. */
  readonly messages?: ConnectionMessages | undefined;
  /** Flat list of the header names and values that the app has recorded for the 101, in addition to the protocol's own. */
  readonly headers: readonly string[];
  /**
   * Runs work for the connection in the async context of its handler, inside the observers of the app's background work. They
   * also get the event. Returns the work's result.
   */
  run<R>(name: string, work: () => R, event?: ConnectionEvent): R;
  /** Calls the listener when the app stops, or immediately when it is already stopping. */
  onStop(listener: () => void): void;
  /** Logs an error with the app's logger. */
  report(what: string, error: unknown): void;
  /** The connection is closed, though work for it may still run. The request's signal aborts. */
  closed(): void;
  /** Call it once, when all work for the connection is done. `aborted`: it broke off. */
  over(bytes: number, aborted: boolean): void;
}

/** Speaks another protocol on the connection from now on. An error that it throws cuts the connection. */
export type UpgradeHandler = (connection: UpgradedConnection) => void;
