/**
 * The listening half of PostgreSQL: one connection that listens to one name of NOTIFY.
 *
 *   connect ──▶ LISTEN ──▶ notifications          pg: a connection that `connect` gives, such as one of the pool
 *      ▲          └─ breaks, or does not reply to a probe: reported      postgres.js and PGlite: their own `listen`
 *      └── after 0.1 s, then twice as long, up to 5 s
 *
 * All channels share it, since PostgreSQL limits names to 63 bytes.
 *
 * Spec: spec/websocket.md
 */
import { inTime } from "../internal/in-time.ts";
import { ignore } from "../internal/thenable.ts";
import { unref } from "../internal/timers.ts";
import type { SubscriberEvents } from "./server-broadcast.ts";

/** A connected client of pg that is used for nothing else. One of a pool is released, another one ended. */
export interface PostgresConnection {
  query(text: string): Promise<unknown>;
  on(event: "notification", listener: (message: { channel: string; payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  release?(destroy: boolean): unknown;
  end?(): Promise<unknown>;
}

/** `listen` of postgres.js and PGlite. */
export interface PostgresListening {
  listen(name: string, listener: (payload: string) => void): Promise<unknown>;
}

/** What a listener is made with. */
export interface ListenerSettings {
  readonly name: string;
  readonly timeoutMs: number;
  readonly probeMs: number;
  /** Gets each notification. */
  readonly notified: (payload: string) => void;
  readonly error: SubscriberEvents["error"];
}

/** A connection that listens, until it is closed. */
export interface Listener {
  readonly connected: Promise<unknown>;
  isConnected(): boolean;
  close(): void;
}

/** Through postgres.js, which connects again itself, or PGlite. */
export function throughListen(client: PostgresListening, { name, notified }: ListenerSettings): Listener {
  let isClosed = false;
  const connected = Promise.resolve(client.listen(name, (payload) => void (isClosed || notified(payload))));
  return {
    connected,
    isConnected: () => true,
    close: () => {
      isClosed = true;
      void connected
        .then(async (made) => {
          const end: unknown = typeof made === "function" ? made : Reflect.get(Object(made), "unlisten");
          if (typeof end === "function") await end();
        })
        .catch(ignore);
    },
  };
}

/** Through connections of pg. */
export class ConnectionListener implements Listener {
  readonly #connect: () => Promise<PostgresConnection>;
  readonly #settings: ListenerSettings;
  readonly connected: Promise<unknown>;
  #connection: PostgresConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = 100;
  #isClosed = false;

  constructor(connect: () => Promise<PostgresConnection>, settings: ListenerSettings) {
    this.#connect = connect;
    this.#settings = settings;
    this.connected = this.#begin();
  }

  isConnected(): boolean {
    return this.#connection !== undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#drop();
  }

  /** @throws (rejects) when it cannot connect and listen. */
  async #begin(): Promise<void> {
    const connection = await this.#connect();
    const lost = (error?: Error): void => this.#lost(connection, error ?? new Error("the connection has ended"));
    connection.on("notification", ({ channel, payload = "" }) => {
      if (channel === this.#settings.name && this.#connection === connection) this.#settings.notified(payload);
    });
    connection.on("error", lost);
    connection.on("end", lost);
    if (this.#isClosed) return discard(connection);
    this.#connection = connection;
    try {
      const { name, timeoutMs } = this.#settings;
      await inTime(
        connection.query(`listen "${name}"`),
        timeoutMs,
        `PostgreSQL did not reply to LISTEN within ${timeoutMs} ms`,
      );
    } catch (error) {
      this.#drop();
      throw error;
    }
    this.#waitMs = 100;
    this.#later(this.#settings.probeMs, () => this.#probe(connection));
  }

  /** A connection that a router has forgotten is silent, and would be for ever. */
  async #probe(connection: PostgresConnection): Promise<void> {
    const { timeoutMs, probeMs } = this.#settings;
    try {
      await inTime(connection.query("select 1"), timeoutMs, `PostgreSQL did not reply within ${timeoutMs} ms`);
    } catch (error) {
      return this.#lost(connection, error);
    }
    if (this.#connection === connection) this.#later(probeMs, () => this.#probe(connection));
  }

  #lost(connection: PostgresConnection, error: unknown): void {
    if (this.#connection !== connection || this.#isClosed) return;
    this.#drop();
    this.#settings.error(error);
    this.#again();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#later(this.#waitMs, () => this.#begin().catch(() => this.#again()));
    this.#waitMs = Math.min(this.#waitMs * 2, 5_000);
  }

  #drop(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) discard(connection);
  }

  #later(ms: number, run: () => unknown): void {
    clearTimeout(this.#timer);
    this.#timer = unref(setTimeout(run, ms));
  }
}

/** Ends it immediately, also one that does not reply. */
function discard(connection: PostgresConnection): void {
  if (connection.release !== undefined) connection.release(true);
  else void connection.end?.().catch(ignore);
}
