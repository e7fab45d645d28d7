/** override: replaces the factory of a binding. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Builder } from "./builder.ts";
import { Interface } from "./interface.ts";

interface Named {
  readonly name: string;
}
const A = Interface<Named>("A");
const B = Interface<Named>("B");
const bean = (name: string) => (): Named => ({ name });

describe("override", () => {
  it("replaces a factory, an async one, an instance and an override, and its users get the new bean", async () => {
    const made: string[] = [];
    const note = (name: string): Named => (made.push(name), { name });
    const bound = {
      factory: Beans.builder().bind(A, () => note("old")),
      "async factory": Beans.builder().bindAsync(A, async () => note("old")),
      instance: Beans.builder().bindInstance(A, { name: "old" }),
      override: Beans.builder()
        .bind(A, () => note("old"))
        .override(A, () => note("older")),
    };
    for (const [title, builder] of Object.entries(bound)) {
      const beans = await builder
        .bind(B, (b) => note(`on ${b.get(A).name}`))
        .override(A, () => note("new"))
        .startAsync();
      assert.deepEqual(
        [made.splice(0), beans.get(B).name, beans.get(A).name],
        [["new", "on new"], "on new", "new"],
        title,
      );
    }
  });

  it("can use the other beans", () => {
    const beans = Beans.builder()
      .bind(A, bean("a"))
      .bind(B, bean("b"))
      .override(A, (b) => ({ name: `${b.get(B).name}, too` }))
      .start();
    assert.equal(beans.get(A).name, "b, too");
    assert.deepEqual(beans.graph().edges, [{ from: "A", to: "B" }]);
  });

  it("keeps the id, the place and the stereotype of the replaced binding, unless it has its own", () => {
    const other = Interface<Named>("A");
    const builder = Beans.builder()
      .bind(A, bean("1"))
      .bind(other, bean("2"), { stereotype: "service" })
      .bind(B, bean("3"), { stereotype: "service" })
      .override(B, bean("6"), { stereotype: "repository" })
      .override(other, bean("5"));
    assert.deepEqual(
      builder
        .start()
        .graph()
        .nodes.map(({ id, stereotype }) => [id, stereotype]),
      [
        ["A", "bean"],
        ["A#2", "service"],
        ["B", "repository"],
      ],
    );
  });

  it("lets a builder start synchronously when its async beans are all replaced", () => {
    const builder = Beans.builder();
    builder.bindAsync(A, async () => ({ name: "late" }));
    builder.override(A, bean("at once"));
    assert.equal(builder.start().get(A).name, "at once");
  });

  it("is closed by the container, and the replaced bean is never made", async () => {
    const closed: string[] = [];
    const closing = (name: string) => (): Named & { close(): void } => ({ name, close: () => void closed.push(name) });
    const beans = Beans.builder().bind(A, closing("old")).override(A, closing("new")).start();
    await beans.close();
    assert.deepEqual(closed, ["new"]);
  });

  it("reaches neither a running container nor the builder that was copied", () => {
    const builder = new Builder().bind(A, bean("old"));
    const running = builder.buildLazy();
    const copy = builder.copy().override(A, bean("new"));
    assert.deepEqual(
      [running.get(A).name, builder.start().get(A).name, copy.start().get(A).name, copy.copy().start().get(A).name],
      ["old", "old", "new", "new"],
    );
  });

  it("keeps the owner of the binding", () => {
    const builder = new Builder();
    builder.bindFor('the plugin "mail"', (binder) => binder.bind(A, bean("old")));
    builder.override(A, bean("new"));
    assert.throws(() => builder.bind(A, bean("again")), /A is bound twice, by the plugin "mail" and by this builder\./);
  });
});
