/**
 * Watcher: the clients that the application gave to `devtools.watch`, each watched once.
 *
 *   watch(client) ──▶ which library is it of? ──▶ its methods are replaced on the object itself ──▶ the same client
 *                                             └─▶ a function of postgres.js ──▶ a proxy
 *
 * No library is imported. A client is known by its methods.
 *
 * Spec: spec/leaves.md
 */
import { privateSlot } from "../../private-slot.ts";
import { Observer, type ObserverTools } from "./observer.ts";
import { isPgClient, isPgPool, watchPgClient, watchPgPool } from "./pg.ts";
import { isPostgresJs, watchPostgresJs } from "./postgres-js.ts";
import { isRedisClient, isRedisPool, watchRedisClient, watchRedisPool } from "./redis.ts";
import { isSqlite, watchSqlite } from "./sqlite.ts";

/** A kind of client. */
interface Kind {
  readonly name: string;
  is(client: object): boolean;
  /** @param watch watches another client that this one gives out */
  watch(observer: Observer, client: object, watch: (client: object) => void): void;
}

const kinds: readonly Kind[] = [
  { name: "a Pool of pg", is: isPgPool, watch: watchPgPool },
  { name: "a Client of pg", is: isPgClient, watch: watchPgClient },
  { name: "a client pool of node-redis", is: isRedisPool, watch: watchRedisPool },
  { name: "a client of node-redis", is: isRedisClient, watch: watchRedisClient },
  { name: "a database of node:sqlite or better-sqlite3", is: isSqlite, watch: watchSqlite },
];
const ofPostgresJs = "the function of postgres.js";

/** The watched clients of one devtools. */
export class Watcher {
  readonly #tools: ObserverTools;
  /** The shown form of a client: itself, or its proxy. */
  readonly #watched = privateSlot<object>();

  constructor(tools: ObserverTools) {
    this.#tools = tools;
  }

  /** @throws TypeError for an object that is none of the known clients */
  watch<T extends object>(client: T): T {
    const known = this.#watched.get(client);
    if (known !== undefined) return known as T;
    if (isPostgresJs(client)) return this.#proxied(client);
    const kind = kinds.find(({ is }) => is(client));
    if (kind === undefined)
      throw new TypeError(`devtools.watch takes ${[...kinds.map(({ name }) => name), ofPostgresJs].join(", ")}`);
    const own = ownOf(client);
    this.#watched.set(client, client);
    if (this.#watched.get(own) !== undefined && own !== client) return client;
    this.#watched.set(own, client);
    const observer = new Observer(kind.name, this.#tools);
    const more = (one: object): void => void observer.attempt(() => this.watch(one));
    observer.attempt(() => kind.watch(observer, own, more));
    return client;
  }

  #proxied<T extends object>(sql: T): T {
    const proxy = isPostgresJs(sql) ? watchPostgresJs(new Observer(ofPostgresJs, this.#tools), sql) : sql;
    this.#watched.set(sql, proxy);
    this.#watched.set(proxy, proxy);
    return proxy;
  }
}

/** The object with the methods. node-redis gives out objects that inherit from it. */
function ownOf(client: object): object {
  const own: unknown = Reflect.get(client, "_self");
  return typeof own === "object" && own !== null ? own : client;
}
