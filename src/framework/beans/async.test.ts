/** Async beans: concurrent, in any order, and the others when one fails. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import type { BeanDecorator } from "./types.ts";

type Named = { readonly name: string };
const named = (name: string): Interface<Named> => Interface(name);
const [A, B, C, D] = [named("A"), named("B"), named("C"), named("D")];
const tick = () => new Promise(setImmediate);

/** A promise and its resolve function. */
function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), passed };
}

// If they were started one after another, this would wait for ever.
describe("bindAsync", { timeout: 10_000 }, () => {
  it("builds async beans concurrently, before the others", async () => {
    const order: string[] = [];
    const step = (name: string): Named => (order.push(name), { name });
    const [first, second] = [gate(), gate()];
    await Beans.builder()
      .bind(A, (b) => (b.get(C), step("A")))
      .bindAsync(B, async () => (first.open(), await second.passed, step("B")))
      .bindAsync(C, async () => (await first.passed, second.open(), step("C")))
      .startAsync();
    assert.deepEqual(order, ["C", "B", "A"]);
  });

  it("reruns a factory that asked for one bound after it, also through another bean", async () => {
    const [order, heard]: [string[], string[]] = [[], []];
    const step = (name: string): Named => (order.push(name), { name });
    const listener: BeanDecorator = {
      decorate: (bean) => bean,
      building: ({ id }, asker) => {
        heard.push(`${asker?.id ?? ""}>${id}`);
        return (error) => void heard.push(`${id}:${error?.code ?? "there"}`);
      },
    };
    const beans = await Beans.builder()
      .bindAsync(A, async (b) => (b.get(B), step("A")))
      .bind(B, (b) => (b.get(C), step("B")))
      .bindAsync(C, (b) => (b.get(D), tick().then(() => step("C"))))
      .bindAsync(D, async () => (await tick(), step("D")))
      .instrument(listener)
      .startAsync();
    assert.deepEqual(order, ["D", "C", "B", "A"]);
    assert.deepEqual(heard, [">A", "A>B", ">C", ">D", "D:there", "C:there", "B:there", "A:there"]);
    assert.deepEqual(
      beans.graph().edges.map(({ from, to }) => from + to),
      ["AB", "BC", "CD"],
    );
    assert.deepEqual(beans.warnings, []);
  });

  it("warns about a rerun factory that had awaited before it asked", async () => {
    let runs = 0;
    const beans = await Beans.builder()
      .bindAsync(A, async (b) => (await null, (runs += 1), b.get(B)))
      .bindAsync(B, async () => (await tick(), { name: "B" }))
      .startAsync();
    assert.deepEqual(
      [runs, beans.get(A), beans.warnings],
      [
        2,
        { name: "B" },
        ["A: its factory was run again, because it asked for B after an await. Ask for async beans first."],
      ],
    );
  });

  const closing = (log: string[], name: string): Named & { close(): void } => ({
    name,
    close: () => void log.push(name),
  });

  it("closes finished and unfinished beans when one of them fails", async () => {
    const closed: string[] = [];
    const failed = gate();
    const starting = Beans.builder()
      .bindAsync(A, async () => closing(closed, "A"))
      .bindAsync(B, async () => (await failed.passed, await tick(), closing(closed, "B")))
      .bindAsync(C, async (b) => (b.get(A), await tick(), failed.open(), Promise.reject(new Error("no C"))))
      .startAsync();
    await assert.rejects(starting, { code: "BEAN_FACTORY", message: "C: its factory threw: no C" });
    assert.deepEqual(closed, ["B", "A"]);
  });

  it("reruns no factory after one of them has failed", async () => {
    const begun: string[] = [];
    const starting = Beans.builder()
      .bindAsync(A, async (b) => (begun.push("A"), b.get(C)))
      .bindAsync(B, async () => (await null, Promise.reject(new Error("no B"))))
      .bindAsync(C, async () => (await tick(), { name: "C" }))
      .startAsync();
    await assert.rejects(starting, { message: "B: its factory threw: no B" });
    assert.deepEqual(begun, ["A"]);
  });

  it("fails with the error of the bean that another one waits for", async () => {
    const starting = Beans.builder()
      .bindAsync(A, async (b) => b.get(B))
      .bindAsync(B, async () => (await tick(), Promise.reject(new Error("no B"))))
      .startAsync();
    await assert.rejects(starting, { message: "B: its factory threw: no B" });
  });
});
