/**
 * PostgresBroadcast: a broadcast between all processes that are connected to one PostgreSQL, by NOTIFY and LISTEN.
 *
 *   text ──▶ JSON ──▶ parts, since a notification holds less than 8,000 bytes ──▶ one statement of pg_notify
 *            the parts of a statement arrive one after the other ──▶ put together again
 *
 * PostgreSQL stores no notification, so a process never gets those sent while it is disconnected.
 *
 * Spec: spec/websocket.md
 */
import { inTime } from "../internal/in-time.ts";
import { sqlOf } from "../internal/sql.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { PostgresClient } from "../internal/postgres.ts";
import {
  ConnectionListener,
  type Listener,
  type ListenerSettings,
  type PostgresConnection,
  type PostgresListening,
  throughListen,
} from "./postgres-subscriber.ts";
import {
  checkedOptions,
  ServerBroadcast,
  type ServerBroadcastOptions,
  type Subscriber,
  type SubscriberEvents,
} from "./server-broadcast.ts";

/** Options of a PostgresBroadcast. */
export interface PostgresBroadcastOptions extends ServerBroadcastOptions {
  /** The application's database, which publishes. It also listens if it is a pool of pg, `sql` of postgres.js or a PGlite. */
  readonly client: PostgresClient;
  /**
   * Connects a client of pg that only listens. Needed if `client` cannot listen: a single client of pg, or a pool behind
   * PgBouncer in its transaction mode. Default: a connection of the pool, which is not given back.
   */
  readonly connect?: (() => Promise<PostgresConnection>) | undefined;
  /** The name of its notifications. Two apps in one database have two. Default: `framework_broadcast`. */
  readonly name?: string | undefined;
  /** How often the listening connection is probed, in milliseconds. Default: 15,000. */
  readonly probeMs?: number | undefined;
}

const statement =
  "select pg_notify($1, part) from json_array_elements_text($2::text::json) with ordinality as parts (part, at) order by at";

/** Calls the listeners in every process. */
export class PostgresBroadcast extends ServerBroadcast {
  /** @throws TypeError when an option is invalid. */
  constructor(options: PostgresBroadcastOptions) {
    const { client, name = "framework_broadcast", probeMs = 15_000 } = options;
    const checked = checkedOptions("PostgresBroadcast", options);
    if (typeof name !== "string" || !/^[A-Za-z_]\w{0,62}$/.test(name))
      throw invalid("name", name, 'letters, digits and "_" are allowed, 63 at most');
    if (!Number.isInteger(probeMs) || probeMs < 1 || probeMs > 2_147_483_647)
      throw invalid("probeMs", probeMs, "a whole number of milliseconds from 1 on is allowed");
    const sql = sqlOf("the client of PostgresBroadcast", client, "POSTGRES_CLIENT");
    const listening = listenerOf(options);
    const { timeoutMs } = checked;
    const late = `PostgreSQL did not reply to NOTIFY within ${timeoutMs} ms`;
    const server = {
      owner: "PostgresBroadcast",
      name: "PostgreSQL",
      command: "LISTEN",
      subscriber: (events: SubscriberEvents) =>
        subscriberOf(events, (notified) => listening({ name, timeoutMs, probeMs, notified, error: events.error })),
      send: (channel: string, text: string) =>
        inTime(sql.executeSql(statement, [name, JSON.stringify(partsOf(channel, text))]), timeoutMs, late),
    };
    super(server, checked);
  }
}

const invalid = (option: string, value: unknown, allowed: string): TypeError =>
  usageError("BROADCAST_INVALID", `PostgresBroadcast has ${option}: ${shown(value)}; ${allowed}`);

/** How the client listens. @throws TypeError when it cannot. */
function listenerOf({ client, connect }: PostgresBroadcastOptions): (settings: ListenerSettings) => Listener {
  const has = (name: string): boolean => typeof Reflect.get(client, name) === "function";
  if (connect !== undefined) return (settings) => new ConnectionListener(connect, settings);
  if (has("listen")) return (settings) => throughListen(client as PostgresListening, settings);
  // A pool of pg. Its clients have `connect` too, and no size.
  const pool = client as { connect(): Promise<PostgresConnection> };
  if (has("connect") && "totalCount" in client)
    return (settings) => new ConnectionListener(() => pool.connect(), settings);
  throw usageError(
    "POSTGRES_CLIENT",
    "the client of PostgresBroadcast cannot listen: a pool of pg, postgres.js or PGlite is allowed, or an option connect",
  );
}

function subscriberOf(events: SubscriberEvents, listen: (notified: (payload: string) => void) => Listener): Subscriber {
  const assemble = assembler((channel, text) => events.message(channel, text));
  const listener = listen(assemble);
  return {
    connected: listener.connected,
    isConnected: () => listener.isConnected(),
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    close: () => listener.close(),
  };
}

/** Of at most three bytes each. With the rest of a part that is less than 8,000. */
const unitsOfPart = 2_600;

/** The notifications of a text: `<id> <parts left> <a piece of JSON>`. The id tells the parts of two texts apart. */
export function partsOf(channel: string, text: string): string[] {
  const json = JSON.stringify([channel, text]);
  const pieces: string[] = [];
  for (let at = 0; at < json.length;) {
    const end = at + unitsOfPart;
    // Both halves of a surrogate pair stay together.
    const next = /[\uD800-\uDBFF]/.test(json.charAt(end - 1)) ? end - 1 : end;
    pieces.push(json.slice(at, next));
    at = next;
  }
  const id = crypto.randomUUID().slice(0, 8);
  return pieces.map((piece, at) => `${id} ${pieces.length - 1 - at} ${piece}`);
}

/** Puts parts together. Those of a text that began before this process listened, and notifications of others, are ignored. */
export function assembler(message: (channel: string, text: string) => void): (payload: string) => void {
  let pending: { readonly id: string; readonly left: number; readonly text: string } | undefined;
  return (payload) => {
    const [whole, id = "", digits = "", piece = ""] = /^([0-9a-f]{8}) (\d{1,9}) ([^]*)$/.exec(payload) ?? [];
    const left = Number(digits);
    const before = pending?.id === id && pending.left === left + 1 ? pending.text : "";
    pending = whole === undefined ? undefined : { id, left, text: before + piece };
    if (pending === undefined || left > 0) return;
    const [channel, text] = parsed(pending.text);
    pending = undefined;
    if (typeof channel === "string" && typeof text === "string") message(channel, text);
  };
}

function parsed(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
