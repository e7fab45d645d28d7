/** Binding with a named owner, and copies: the app's use of a given builder. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Builder } from "./builder.ts";
import { Interface } from "./interface.ts";

const A = Interface<{ name: string }>("A");
const B = Interface<{ name: string }>("B");
const bean = (name: string) => (): { name: string } => ({ name });

describe("Builder.bindFor", () => {
  const twice = (first: string | undefined, second: string | undefined): string => {
    const builder = new Builder();
    const bind = (owner: string | undefined): unknown =>
      owner === undefined ? builder.bind(A, bean("a")) : builder.bindFor(owner, (binder) => binder.bind(A, bean("a")));
    bind(first);
    try {
      bind(second);
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "nothing was thrown";
  };

  it("names both owners when two bind a type", () => {
    const way = "Remove one, or replace the first with .override(A, …).";
    const [mail, shop] = ['the plugin "mail"', 'the plugin "shop"'];
    assert.deepEqual(
      [twice(mail, shop), twice(mail, mail), twice(undefined, mail), twice(mail, undefined)],
      [
        `A: A is bound twice, by ${mail} and by ${shop}. ${way}`,
        `A: A is bound twice. ${way}`,
        `A: A is bound twice, by the app and by ${mail}. ${way}`,
        `A: A is bound twice, by ${mail} and by this builder. ${way}`,
      ],
    );
  });

  it("rejects an owner that binds later, and has no owner after it has ended", () => {
    const builder = new Builder();
    assert.throws(() => builder.bindFor('the plugin "mail"', async (binder) => binder.bind(A, bean("a"))), {
      name: "TypeError",
      message: 'the plugin "mail" binds its beans asynchronously: bindAsync is for that',
    });
    builder.bind(B, bean("b"));
    assert.throws(() => builder.bind(B, bean("c")), /^BeanError: B: B is bound twice\. Remove one/);
  });

  it("causes no unhandled rejection when a late owner fails", async (t) => {
    const unhandled = t.mock.fn();
    process.on("unhandledRejection", unhandled);
    t.after(() => process.off("unhandledRejection", unhandled));
    const fails = () => Promise.reject(new Error("not found"));
    assert.throws(() => new Builder().bindFor('the plugin "mail"', fails), /asynchronously/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(unhandled.mock.callCount(), 0);
  });
});

describe("Builder.copy", () => {
  it("has the same bindings and decorators, and later ones do not reach the original", () => {
    const seen: string[] = [];
    const first = new Builder().bind(A, bean("a")).instrument({
      decorate: (made, { id }) => {
        seen.push(id);
        return made;
      },
    });
    const copy = first.copy();
    assert.throws(() => copy.bind(A, bean("b")), { code: "BEAN_DUPLICATE" });
    copy.bind(Interface<object>("A"), () => ({}));
    const ids = [copy, first].map((builder) =>
      builder
        .start()
        .graph()
        .nodes.map(({ id }) => id),
    );
    assert.deepEqual(
      [ids, seen],
      [
        [["A", "A#2"], ["A"]],
        ["A", "A#2", "A"],
      ],
    );
  });
});
