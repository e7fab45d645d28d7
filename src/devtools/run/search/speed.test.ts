/** How long a search of ten thousand runs takes, in CPU time, so that other programs on this machine do not count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuShare } from "../../cpu-time.testkit.ts";
import type { Trace } from "../shapes.ts";
import { documentOf } from "./document.ts";
import { searchOf } from "./match.ts";
import { parseQuery } from "./query.ts";
import { callOf, runOf } from "./runs.testkit.ts";

const beans = ["OrderController", "OrderService", "Catalog", "Pricing", "OrderRepository", "Mailer"];

/** A run of six calls, each with an order and its lines, some 3 kB of JSON. */
function order(n: number): Trace {
  const customer = { name: "Ada Lovelace", email: `ada${n}@example.test`, address: "12 Long Street, London" };
  const args = [n, { item: `lamp ${n}`, quantity: n % 9, customer }];
  const result = {
    id: n,
    total: n * 3,
    lines: [
      { sku: `lamp-${n}`, price: 12.5 },
      { sku: "tea", price: 3 },
    ],
  };
  const calls = beans.map((bean, id) => callOf(id, bean, "handle", { args, params: ["id", "order"], result }));
  return runOf({ sequence: n + 1, path: `/orders/${n}`, status: n % 50 === 0 ? 500 : 200, durationUs: n, calls });
}

/** Two queries match few runs, the others look through all of each run. */
const queries = [
  "bean:OrderRepository method:handle arg.id=77 result.total>100",
  "status:5xx dur>5ms",
  "ada77@example.test",
  '"nothing like it"',
  "result.total>29000 arg.quantity=4",
  "-error:TypeError header.accept:html",
];

describe("searchOf", () => {
  it("looks through 10,000 runs within 100 ms, six calls in each", () => {
    const documents = Array.from({ length: 10_000 }, (_, n) => documentOf(order(n)));
    for (const text of queries) {
      const { query = assert.fail(text) } = parseQuery(text);
      const search = searchOf(query);
      const share = cpuShare(() => {
        for (const document of documents) search(document);
      });
      assert.ok(share < 12, `${text}: ${share} times the yardstick`);
    }
  });
});
