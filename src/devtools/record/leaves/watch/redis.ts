/**
 * Clients and pools of node-redis.
 *
 *   client.get(key) ──▶ client.sendCommand(["GET", key]) ──▶ a leaf
 *   client.multi()….exec() ──▶ client._executeMulti(commands) ──▶ a leaf MULTI, and one for each command
 *   pool.execute(work) ──▶ work(client), bound to the run
 *
 * All commands of a client go through these methods. Without `watch`, the library publishes commands with `?` for most values,
 * and nothing of a MULTI.
 *
 * Spec: spec/leaves.md
 */
import { isRecord } from "../../../run/values.ts";
import type { Description } from "../descriptions.ts";
import { foundBy } from "../libraries/redis.ts";
import { call, has, isFunction, type Observer, type Operation, replace } from "./observer.ts";

/** Whether it is a client. */
export const isRedisClient = (client: object): boolean =>
  has(client, "sendCommand", "multi", "duplicate") && typeof Reflect.get(client, "isReady") === "boolean";

/** Whether it is what `createClientPool` returns. */
export const isRedisPool = (client: object): boolean =>
  has(client, "sendCommand", "multi", "execute") && typeof Reflect.get(client, "totalClients") === "number";

/** Watches a pool, and its clients when they are given out. */
export function watchRedisPool(observer: Observer, pool: object, watch: (client: object) => void): void {
  replace(
    pool,
    "execute",
    (execute) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [work] = args;
        if (!isFunction(work)) return call(execute, this, args);
        args[0] = observer.bound(function (this: unknown, ...given: unknown[]): unknown {
          if (isRecord(given[0])) watch(given[0]);
          return call(work, this, given);
        });
        return call(execute, this, args);
      },
  );
}

/** Watches a client. */
export function watchRedisClient(observer: Observer, client: object): void {
  replace(
    client,
    "sendCommand",
    (send) =>
      function (this: unknown, ...args: unknown[]): unknown {
        return observer.run(commandOf(args[0]), () => call(send, this, args));
      },
  );
  for (const [name, first] of [
    ["_executeMulti", [["MULTI"]]],
    ["_executePipeline", []],
  ] as const)
    replace(
      client,
      name,
      (own) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const run = (): unknown => observer.once(() => call(own, this, args));
          return observer.attempt(() => listOf(args[0])) === undefined ? run() : batch(observer, first, args[0], run);
        },
    );
}

/** The commands of a batch, which all last as long as it does. */
function batch(
  observer: Observer,
  first: readonly (readonly string[])[],
  queued: unknown,
  run: () => unknown,
): unknown {
  const commands = listOf(queued) ?? [];
  const open = [...first, ...commands].map((args) => {
    const operation = commandOf(args);
    return { operation, leaf: observer.begin(operation) };
  });
  const result = run();
  observer.settle(result, (outcome) =>
    open.forEach(({ operation, leaf }, at) => {
      if ("error" in outcome) return observer.end(leaf, operation, outcome);
      const reply = Array.isArray(outcome.result) ? (outcome.result as unknown[])[at - first.length] : undefined;
      observer.end(leaf, operation, reply instanceof Error ? { error: reply } : { result: reply });
    }),
  );
  return result;
}

/** The arguments of queued commands, or undefined for anything else. */
const listOf = (queued: unknown): readonly unknown[] | undefined =>
  Array.isArray(queued) && queued.every(isRecord) ? queued.map(({ args }) => args) : undefined;

function commandOf(sent: unknown): Operation {
  const [command, ...given] = Array.isArray(sent) ? (sent as unknown[]).map(textOf) : [];
  const [key, ...args] = holdsPassword.test(String(command)) ? [] : given;
  const found = { command, args: [command, key] };
  return {
    kind: "cache",
    begun: (): Description => ({ system: "redis", command, key, args }),
    ended: (result) => foundBy({ ...found, result }),
  };
}

/** Commands with a password among their arguments. */
const holdsPassword = /^(?:AUTH|HELLO|ACL|CONFIG|MIGRATE)$/i;

/** Keys and values are texts or bytes. */
const textOf = (part: unknown): unknown => (part instanceof Uint8Array ? Buffer.from(part).toString("utf8") : part);
