/**
 * The tagged function of postgres.js.
 *
 *   sql`…` ──▶ a query, which is sent when it is awaited ──▶ query.handle: the leaf begins ──▶ query.resolve, reject: it ends
 *
 * The function cannot be changed in place, so the application gets a proxy of it. Its transactions and reserved connections give
 * the application further functions of the same kind, and it gets proxies of these too.
 *
 * Spec: spec/leaves.md
 */
import { isRecord } from "../../../run/values.ts";
import type { Callable } from "../../spy/parameters.ts";
import type { Description } from "../descriptions.ts";
import type { OpenLeaf } from "../leaves.ts";
import { call, has, isFunction, type Observer, type Operation, type Outcome, replace } from "./observer.ts";

/** Whether it is the function that `postgres(…)` returns. */
export const isPostgresJs = (client: unknown): client is Callable =>
  isFunction(client) && has(client, "unsafe", "array");

/** A proxy of the function. */
export function watchPostgresJs<T extends Callable>(observer: Observer, sql: T): T {
  const inner = (given: unknown): unknown => (isPostgresJs(given) ? watchPostgresJs(observer, given) : given);
  const methods: Readonly<Record<string, (own: Callable) => Callable>> = {
    unsafe: queries(observer),
    file: queries(observer),
    begin: (own) => transaction(observer, own, "begin", inner),
    savepoint: (own) => transaction(observer, own, "savepoint", inner),
    reserve: (own) =>
      async function (this: unknown, ...args: unknown[]): Promise<unknown> {
        return inner(await call(own, this, args));
      },
  };
  const made = new Map<unknown, Callable>();
  return new Proxy(sql, {
    apply: (own, self, args) => watchQuery(observer, call(own, self, args)),
    get(own, key, receiver) {
      const member: unknown = Reflect.get(own, key, receiver);
      const make = typeof key === "string" && Object.hasOwn(methods, key) ? methods[key] : undefined;
      if (make === undefined || !isFunction(member)) return member;
      const method = made.get(member) ?? make(member);
      made.set(member, method);
      return method;
    },
  });
}

const queries =
  (observer: Observer) =>
  (own: Callable): Callable =>
    function (this: unknown, ...args: unknown[]): unknown {
      return watchQuery(observer, call(own, this, args));
    };

/** A query that was made. One that becomes a part of another is never sent. */
function watchQuery(observer: Observer, query: unknown): unknown {
  if (typeof query !== "object" || query === null || !has(query, "handle", "resolve", "reject")) return query;
  observer.attempt(() => {
    const operation = statementOf(query);
    let leaf: OpenLeaf | undefined;
    replace(
      query,
      "handle",
      (own) =>
        function (this: unknown, ...args: unknown[]): unknown {
          if (leaf === undefined && Reflect.get(query, "executed") === false) leaf = observer.begin(operation);
          return call(own, this, args);
        },
    );
    ending(query, "resolve", (result) => observer.end(leaf, operation, { result }));
    ending(query, "reject", (error) => observer.end(leaf, operation, { error }));
  });
  return query;
}

/** Calls `ended` before the query's own function of that name, which its iterator replaces. */
function ending(query: object, name: "resolve" | "reject", ended: (value: unknown) => void): void {
  let own = Reflect.get(query, name) as Callable;
  const first = function (this: unknown, ...args: unknown[]): unknown {
    ended(args[0]);
    return call(own, this, args);
  };
  Object.defineProperty(query, name, {
    configurable: true,
    enumerable: true,
    get: () => first,
    set(value: Callable) {
      own = value;
    },
  });
}

/** The text and the parameters are known when it is sent. Until then they are those of its template. */
const statementOf = (query: object): Operation => ({
  kind: "sql",
  begun() {
    const strings: unknown = Reflect.get(query, "strings");
    const texts: readonly unknown[] = Array.isArray(strings) ? strings : [];
    const statement = texts.map((text, at) => (at === 0 ? String(text) : `$${at}${String(text)}`)).join("");
    return { system: "postgresql", statement };
  },
  ended(result) {
    const { statement, parameters } = query as Readonly<Record<string, unknown>>;
    const text = isRecord(statement) ? statement["string"] : undefined;
    return { ...(text === undefined ? {} : { statement: text }), parameters, rows: rowsOf(query, result) };
  },
});

/** The rows, otherwise the number of changed rows. A cursor only knows the rows of its last piece. */
function rowsOf(query: object, result: unknown): unknown {
  if (!Array.isArray(result) || Reflect.get(query, "cursorFn") !== undefined) return undefined;
  return result.length > 0 ? [...(result as unknown[])] : Reflect.get(result, "count");
}

/**
 * `begin` and `savepoint`. The statements around the application's work are sent inside the library. The first lasts from the
 * call until the work begins, the last from the work's end until the promise settles.
 */
const transaction = (
  observer: Observer,
  own: Callable,
  name: "begin" | "savepoint",
  inner: (given: unknown) => unknown,
): Callable =>
  function (this: unknown, ...args: unknown[]): unknown {
    const at = args.findIndex(isFunction);
    const work = args[at];
    if (!isFunction(work)) return call(own, this, args);
    const opening = ofPostgres(at === 0 ? name : `${name} ${String(args[0])}`);
    let running = { add: observer.later("sql"), statement: opening };
    const next = (statement: Description): void => {
      running.add(running.statement);
      running = { add: observer.later("sql"), statement };
    };
    args[at] = observer.bound(function (this: unknown, ...given: unknown[]): unknown {
      next(unsent);
      const ended = (outcome: Outcome): void =>
        next("error" in outcome ? closings[name].failed : closings[name].finished);
      try {
        const result = call(work, this, given.map(inner));
        observer.settle(result, ended);
        return result;
      } catch (error) {
        ended({ error });
        throw error;
      }
    });
    const result = call(own, this, args);
    observer.settle(result, (outcome) => {
      const isOpening = running.statement === opening && "error" in outcome;
      running.add(isOpening ? { ...opening, error: outcome.error } : running.statement);
    });
    return result;
  };

const ofPostgres = (statement: string): Description => ({ system: "postgresql", statement });
const unsent: Description = {};
const closings = {
  begin: { finished: ofPostgres("commit"), failed: ofPostgres("rollback") },
  savepoint: { finished: unsent, failed: ofPostgres("rollback to savepoint") },
};
