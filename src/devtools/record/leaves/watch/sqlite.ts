/**
 * Databases of node:sqlite and better-sqlite3, which work synchronously.
 *
 *   database.prepare(sql) ──▶ statement.run, get, all: a leaf · iterate: a leaf until the iterator is done
 *   database.exec(sql) ──▶ a leaf · prepare of a wrong statement: a leaf with the error
 *
 * Spec: spec/leaves.md
 */
import type { Callable } from "../../spy/parameters.ts";
import type { Description } from "../descriptions.ts";
import { isRecord } from "../../../run/values.ts";
import { call, has, type Observer, type Operation, replace } from "./observer.ts";

/** Whether it is a `DatabaseSync` or a `Database`. db0 has the same methods, with promises. */
export const isSqlite = (client: object): boolean =>
  has(client, "prepare", "exec", "close") && !("dialect" in client) && !("query" in client);

/** Watches a database, and the statements that it prepares from now on. */
export function watchSqlite(observer: Observer, database: object): void {
  replace(
    database,
    "exec",
    (exec) =>
      function (this: unknown, ...args: unknown[]): unknown {
        return observer.run(operation(args[0], [], nothing), () => call(exec, this, args));
      },
  );
  replace(
    database,
    "prepare",
    (prepare) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const failed = observer.later("sql");
        let statement: unknown;
        try {
          statement = call(prepare, this, args);
        } catch (error) {
          failed({ ...operation(args[0], [], nothing).begun(), error });
          throw error;
        }
        observer.attempt(() => {
          if (typeof statement === "object" && statement !== null) watchStatement(observer, statement, args[0]);
        });
        return statement;
      },
  );
}

function watchStatement(observer: Observer, statement: object, sql: unknown): void {
  for (const [name, added] of Object.entries(results))
    replace(
      statement,
      name,
      (own) =>
        function (this: unknown, ...args: unknown[]): unknown {
          return observer.run(operation(sql, args, added), () => call(own, this, args));
        },
    );
  replace(
    statement,
    "iterate",
    (own) =>
      function (this: unknown, ...args: unknown[]): unknown {
        return iterated(observer, operation(sql, args, nothing), () => call(own, this, args));
      },
  );
}

/** An iterator. Its leaf ends when it is done, is closed, or throws. */
function iterated(observer: Observer, begun: Operation, iterate: () => unknown): unknown {
  let rows = 0;
  const counted: Operation = { ...begun, ended: () => ({ rows }) };
  const leaf = observer.begin(counted);
  const guarded = (run: () => unknown): unknown => {
    try {
      return observer.once(run);
    } catch (error) {
      observer.end(leaf, counted, { error });
      throw error;
    }
  };
  const step = (own: Callable): Callable =>
    function (this: unknown, ...args: unknown[]): unknown {
      const result = guarded(() => call(own, this, args));
      if (isRecord(result) && result["done"] === false) rows += 1;
      else observer.end(leaf, counted, { result });
      return result;
    };
  const iterator = guarded(iterate);
  if (leaf !== undefined && typeof iterator === "object" && iterator !== null)
    observer.attempt(() => {
      replace(iterator, "next", step);
      replace(iterator, "return", step);
    });
  return iterator;
}

const operation = (sql: unknown, args: readonly unknown[], ended: Operation["ended"]): Operation => ({
  kind: "sql",
  begun: () => ({ system: "sqlite", statement: sql, ...(args.length === 0 ? {} : { parameters: parametersOf(args) }) }),
  ended,
});

/** By name, or by position; better-sqlite3 takes a list of these too. */
function parametersOf(args: readonly unknown[]): unknown {
  const [first, ...more] = args;
  if (more.length > 0) return args;
  if (Array.isArray(first)) return first;
  return isRecord(first) && !ArrayBuffer.isView(first) ? first : args;
}

const nothing = (): Description => ({});
const results: Readonly<Record<"run" | "get" | "all", Operation["ended"]>> = {
  run: (result) => (isRecord(result) ? { rows: Number(result["changes"]) } : {}),
  get: (result) => ({ rows: result === undefined || result === null ? [] : [result] }),
  all: (result) => ({ rows: result }),
};
