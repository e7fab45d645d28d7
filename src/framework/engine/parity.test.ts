/** Every engine gives the same responses for one app. docs/engines.md lists the differences that a platform forces (LIFE-009). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { created, until } from "../testing/harness.testkit.ts";
import { hosts } from "../testing/clients.testkit.ts";
import { cases, define, type Outcome } from "./parity-cases.testkit.ts";

const guide = readFileSync(new URL("../../../../docs/engines.md", import.meta.url), "utf8");

for (const [host, { engine, open }] of Object.entries(hosts))
  describe(`on ${host}`, () => {
    for (const [name, { sent, outcome, except }] of Object.entries(cases))
      test(name, async () => {
        const { app } = created({ engine, maxBodyBytes: 300_000, limits: { headerBytes: 12_000 } });
        const told: unknown[] = [];
        app.use({
          installed: (life) => life.onRejected(({ status, bytes }) => void told.push(["rejected", status, bytes])),
          handle(ctx, next) {
            ctx.onComplete(({ status, bytes, aborted }) => void told.push([status, bytes, aborted]));
            return next();
          },
        });
        define(app);
        const running = await open(app);
        try {
          const seen = await running.send(sent);
          const expected = { ...outcome, ...except?.[host] };
          await until(() => told.length >= expected.told.length);
          const actual: Outcome = { ...seen, told };
          assert.deepEqual(sorted(actual), sorted(expected));
        } finally {
          await running.close();
        }
      });
  });

describe("docs/engines.md", () => {
  test("names exactly the differences between the engines, with their reasons", () => {
    const table =
      guide
        .split("<!-- differences -->")[1]
        ?.split("\n")
        .filter((line) => line.startsWith("|") && !/^\| *(?:Case|-)/.test(line)) ?? [];
    const documented = table.flatMap((row) => {
      const [, what = "", where = "", , reason = ""] = row.split("|").map((cell) => cell.trim());
      assert.ok(reason.length > 10, `no reason: ${row}`);
      return where.split(", ").map((host) => `${what} · ${host}`);
    });
    const real = Object.entries(cases).flatMap(([name, { except = {} }]) =>
      Object.keys(except).map((host) => `${name} · ${host}`),
    );
    assert.ok(real.length > 0);
    assert.deepEqual(documented.toSorted(), real.toSorted());
  });
});

const sorted = (outcome: Outcome): unknown => ({
  ...outcome,
  headers: Object.entries(outcome.headers).toSorted(([a], [b]) => a.localeCompare(b)),
});
