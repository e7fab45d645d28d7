/**
 * Pools and clients of pg.
 *
 *   pool.query ──▶ pool.connect(callback), bound to the run ──▶ client.query ──▶ a leaf
 *
 * A pool calls back in the context of the code that released the connection, so every callback is bound to the run that gave it.
 * A cursor, a stream and a copy are objects with `submit`. They end when the server is ready for the next query.
 *
 * Spec: spec/leaves.md
 */
import { isRecord } from "../../../run/values.ts";
import type { OpenLeaf } from "../leaves.ts";
import { call, has, isFunction, type Observer, type Operation, type Outcome, replace } from "./observer.ts";

/** Whether it is a `Pool`. */
export const isPgPool = (client: object): boolean =>
  has(client, "connect", "query", "on") && typeof Reflect.get(client, "waitingCount") === "number";

/** Whether it is a `Client`, alone or of a pool. */
export const isPgClient = (client: object): boolean => has(client, "connect", "query", "on", "escapeIdentifier");

/** Watches a pool, and its connections from the first time that they are given out. */
export function watchPgPool(observer: Observer, pool: object, watch: (client: object) => void): void {
  replace(
    pool,
    "connect",
    (connect) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const waited = observer.later("span");
        const failed = (error: unknown): void => waited({ name: "connect", status: "ERROR", error });
        const [callback] = args;
        if (isFunction(callback)) {
          const bound = observer.bound(callback);
          args[0] = function (this: unknown, ...given: unknown[]): unknown {
            if (given[0]) failed(given[0]);
            return call(bound, this, given);
          };
        }
        const result = call(connect, this, args);
        observer.settle(result, (outcome) => void ("error" in outcome && failed(outcome.error)));
        return result;
      },
  );
  const acquired = (client: unknown): void => void (isRecord(client) && watch(client));
  call(Reflect.get(pool, "on") as () => unknown, pool, ["acquire", acquired]);
}

/** Watches a client. */
export function watchPgClient(observer: Observer, client: object): void {
  replace(
    client,
    "query",
    (query) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [config] = args;
        const operation = statementOf(config, args[1]);
        if (isRecord(config) && isFunction(config["submit"]))
          return submitted(observer, operation, config, () => call(query, this, args));
        const at = isFunction(args[1]) ? 1 : 2;
        const callback = args[at];
        const given = isFunction(callback) ? callback : isRecord(config) ? config["callback"] : undefined;
        if (!isFunction(given)) return observer.run(operation, () => call(query, this, args));
        const leaf = observer.begin(operation);
        const bound = observer.bound(given);
        const called = function (this: unknown, ...results: unknown[]): unknown {
          observer.end(leaf, operation, results[0] ? { error: results[0] } : { result: results[1] });
          return call(bound, this, results);
        };
        args[at] = called;
        // pg writes the callback into the config, which the application may use again.
        if (isRecord(config)) args[0] = Object.create(config);
        return begun(observer, leaf, operation, () => call(query, this, args));
      },
  );
}

/** Runs the client's method. If it throws, the leaf ends. */
function begun(observer: Observer, leaf: OpenLeaf | undefined, operation: Operation, run: () => unknown): unknown {
  try {
    return observer.once(run);
  } catch (error) {
    observer.end(leaf, operation, { error });
    throw error;
  }
}

/** A query object. pg calls its methods: one for each row, and one at the end or for the error. */
function submitted(observer: Observer, operation: Operation, query: object, run: () => unknown): unknown {
  let rows = 0;
  const counted: Operation = { ...operation, ended: () => ({ rows }) };
  const leaf = observer.begin(counted);
  const before = (name: string, outcome: (first: unknown) => Outcome | undefined): void =>
    replace(
      query,
      name,
      (own) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const ended = outcome(args[0]);
          if (ended !== undefined) observer.end(leaf, counted, ended);
          return call(own, this, args);
        },
    );
  if (leaf !== undefined)
    observer.attempt(() => {
      before("handleDataRow", () => void (rows += 1));
      before("handleReadyForQuery", () => ({ result: undefined }));
      before("handleError", (error) => ({ error }));
    });
  return begun(observer, leaf, counted, run);
}

/** The statement of a text, a config or a query object. */
const statementOf = (config: unknown, values: unknown): Operation => ({
  kind: "sql",
  begun() {
    const given = isRecord(config) ? config : { text: config };
    const inner = isRecord(given["cursor"]) ? given["cursor"] : given;
    return {
      system: "postgresql",
      statement: given["text"] ?? inner["text"],
      parameters: Array.isArray(values) ? values : (given["values"] ?? inner["values"] ?? undefined),
    };
  },
  ended: (result) => ({ rows: rowsOf(result) }),
});

/** The rows, otherwise the number of changed rows. Several statements in one text have a list of results. */
function rowsOf(result: unknown): unknown {
  if (Array.isArray(result)) return rowsOf((result as unknown[]).at(-1));
  if (!isRecord(result)) return undefined;
  const { rows, fields, rowCount } = result;
  return Array.isArray(fields) && fields.length > 0 ? rows : rowCount;
}
