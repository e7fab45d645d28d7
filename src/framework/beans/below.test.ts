/** Beans.builder(below): a container on top of another one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type BeanDecorator, Beans, Interface } from "../index.ts";

const A = Interface<{ name: string }>("A");
const B = Interface<{ a: object }>("B");
const Missing = Interface<object>("Missing");

describe("Beans.builder(below)", () => {
  it("gives the beans of both, and the one below knows nothing of it", async () => {
    const below = Beans.builder()
      .bind(A, () => ({ name: "a" }))
      .start();
    const upper = Beans.builder(below)
      .bind(B, (b) => ({ a: b.get(A) }))
      .start();
    assert.deepEqual([upper.get(B).a === below.get(A), upper.get(A) === below.get(A)], [true, true]);
    assert.deepEqual(
      [upper.below === below, below.below, below.idOf(B), upper.idOf(A)],
      [true, undefined, undefined, "A"],
    );
    assert.equal(upper.unwrapped(A), below.unwrapped(A));
    assert.deepEqual(upper.types(), [A, B]);
    assert.throws(() => upper.get(Missing), /Missing: it is not bound/);
    await upper.close();
    assert.equal(below.get(A).name, "a");
    assert.throws(() => upper.get(A), /A: the container is closed/);
    await below.close();
  });

  it("closes no bean of the one below that its own factory returns", async () => {
    let closed = 0;
    const below = Beans.builder()
      .bind(A, () => ({ name: "a", close: () => void (closed += 1) }))
      .start();
    const Alias = Interface<{ name: string }>("Alias");
    const upper = Beans.builder(below)
      .bind(Alias, (b) => b.get(A))
      .start();
    await upper.close();
    assert.equal(closed, 0);
    await below.close();
    assert.equal(closed, 1);
  });

  it("asks a lazy one below for a bean only when its own is used", () => {
    const made: string[] = [];
    const note = <T extends object>(name: string, bean: T): T => {
      made.push(name);
      return bean;
    };
    const below = Beans.builder()
      .bind(A, () => note("A", { name: "a" }))
      .buildLazy();
    const upper = Beans.builder(below)
      .bind(B, (b) => note("B", { a: b.get(A) }))
      .buildLazy();
    assert.deepEqual(upper.graph().nodes.length, 2);
    assert.deepEqual(made, []);
    upper.get(B);
    assert.deepEqual(made, ["A", "B"]);
    assert.deepEqual(upper.graph().edges, [{ from: "B", to: "A" }]);
  });

  it("rejects a value that is not a container", () => {
    assert.throws(() => Beans.builder({} as Beans), {
      code: "BEAN_TYPE",
      message: "Beans.builder: a container lies on what start() of another builder gave.",
    });
  });

  it("rejects a type of the one below, and numbers a bean with a name used there", () => {
    const below = Beans.builder()
      .bind(A, () => ({ name: "a" }))
      .start();
    assert.throws(() => Beans.builder(below).bindInstance(A, { name: "b" }), {
      code: "BEAN_DUPLICATE",
      message: "A: A is bound twice, by the container below and by this builder. Remove one.",
    });
    const upper = Beans.builder(below)
      .bind(Interface<object>("A"), () => ({}))
      .start();
    assert.deepEqual(
      upper.graph().nodes.map(({ id }) => id),
      ["A", "A#2"],
    );
  });

  it("names the bean that asked when neither has the type", () => {
    const below = Beans.builder().start();
    const upper = Beans.builder(below).bind(B, (b) => ({ a: b.get(Missing) }));
    assert.throws(() => upper.start(), { message: "B → Missing: it is not bound. Add .bind(Missing, …)." });
  });

  it("passes its beans to the decorators of the one below, then to its own", () => {
    const marking = (mark: string): BeanDecorator => ({
      decorate: (bean, info) => {
        marks.push(`${mark} ${info.id}`);
        return bean;
      },
    });
    const marks: string[] = [];
    const below = Beans.builder().instrument(marking("below")).start();
    Beans.builder(below).bindInstance(A, { name: "a" }).instrument(marking("own")).start();
    assert.deepEqual(marks, ["below A", "own A"]);
  });

  it("closes its own bean with two names once", async () => {
    let closed = 0;
    const Alias = Interface<{ name: string }>("Alias");
    const upper = Beans.builder(Beans.builder().start())
      .bind(A, () => ({ name: "a", close: () => void (closed += 1) }))
      .bind(Alias, (b) => b.get(A))
      .start();
    await upper.close();
    assert.equal(closed, 1);
  });
});
