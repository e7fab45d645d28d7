/** instrument: every bean is handed over once, and a faulty decorator has no effect on the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import type { BeanDecorator, BeanInfo, UntracedReason } from "./types.ts";

interface Repository {
  find(id: string): string;
}
const OrderRepository: Interface<Repository> = Interface("OrderRepository");

class Database {
  readonly rows = new Map([["1", "tea"]]);
}
class SqlOrderRepository implements Repository {
  readonly #db: Database;
  constructor(db: Database) {
    this.#db = db;
  }
  find(id: string): string {
    return this.#db.rows.get(id) ?? "none";
  }
}

describe("instrument", () => {
  const record = (seen: BeanInfo[]): BeanDecorator => ({ decorate: (bean, info) => (seen.push(info), bean) });

  it("BEAN-016: hands each bean over once, with its place in the graph, instances too", () => {
    const seen: BeanInfo[] = [];
    const beans = Beans.builder()
      .bind(OrderRepository, (b) => new SqlOrderRepository(b.get(Database)))
      .bindInstance(Database, new Database())
      .instrument(record(seen))
      .start();
    beans.get(OrderRepository);
    assert.deepEqual(seen, [
      { id: "Database", name: "Database", type: Database, stereotype: "bean", isInterface: false },
      {
        id: "OrderRepository",
        name: "OrderRepository",
        type: OrderRepository,
        stereotype: "repository",
        isInterface: true,
      },
    ]);
  });

  it("BEAN-016: gives everybody what the decorators made, in their order, and names the raw class", () => {
    const wrap = (mark: string): BeanDecorator => ({
      decorate: <T extends object>(bean: T): T =>
        ({ find: (id: string) => mark + (bean as unknown as Repository).find(id) }) as unknown as T,
    });
    const beans = Beans.builder()
      .bind(OrderRepository, () => new SqlOrderRepository(new Database()))
      .instrument(wrap("1"))
      .instrument(wrap("2"))
      .start();
    assert.equal(beans.get(OrderRepository).find("1"), "21tea");
    assert.equal(beans.graph().nodes[0]?.implementation, "SqlOrderRepository");
  });

  const faults: Record<string, [BeanDecorator, string, UntracedReason]> = {
    "BEAN-017 BEAN-018: a decorator that throws": [
      {
        traces: true,
        decorate() {
          throw new Error("boom");
        },
      },
      "boom",
      "failed",
    ],
    "BEAN-017 BEAN-018: one that gives nothing back": [
      { traces: true, decorate: () => undefined as never },
      "it returned undefined, not a bean",
      "failed",
    ],
    "BEAN-017: one that throws what cannot be printed": [
      {
        traces: true,
        decorate() {
          throw Object.create(null);
        },
      },
      "an error that cannot be printed",
      "failed",
    ],
    "BEAN-017 BEAN-018: one that throws but only watches": [
      {
        traces: false,
        decorate() {
          throw new Error("boom");
        },
      },
      "boom",
      "uninstrumented",
    ],
  };
  for (const [title, [decorator, sentence, reason]] of Object.entries(faults)) {
    it(`${title}: the bean goes on as it was, and a warning says so`, () => {
      const repository = { find: () => "" };
      const beans = Beans.builder()
        .bind(OrderRepository, () => repository)
        .instrument(decorator)
        .start();
      assert.equal(beans.get(OrderRepository), repository);
      assert.deepEqual(beans.warnings, [`OrderRepository: decorator (unnamed) failed and was left out: ${sentence}`]);
      assert.equal(beans.graph().nodes[0]?.reason, reason);
    });
  }
});
