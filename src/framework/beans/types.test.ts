/** The types: each line compiles only while the promise holds, so `tsc` does the check. The run checks that no line was lost. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import type { AsyncBeansBuilder } from "./builder.ts";
import { Interface } from "./interface.ts";
import type { BeanResolver } from "./types.ts";

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
type Fits<From, To> = [From] extends [To] ? true : false;
/** Compiles only when the claim `T` is exactly `expected`. */
const claim = <T extends boolean>(expected: T): T => expected;

interface Repo {
  find(id: string): Promise<number>;
}
const Repo: Interface<Repo> = Interface("Repo");
abstract class Orders {
  abstract find(id: string): Promise<number>;
}
class SqlOrders extends Orders {
  readonly #found = 1;
  async find(): Promise<number> {
    return this.#found;
  }
}
class Pool {
  readonly #size = 1;
  size(): number {
    return this.#size;
  }
}

const started = (): Beans =>
  Beans.builder()
    .bind(Repo, () => ({ find: async () => 1 }))
    .bind(Pool, () => new Pool())
    .start();
declare const builder: ReturnType<typeof Beans.builder>;
type FactoryOf<T extends object> = Parameters<typeof builder.bind<T>>[1];

describe("types of beans", () => {
  it("get gives the token's or the class's type", () => {
    const beans = started();
    const [repo, pool] = [beans.get(Repo), beans.get(Pool)];
    assert.deepEqual([claim<Same<typeof repo, Repo>>(true), claim<Same<typeof pool, Pool>>(true)], [true, true]);
  });

  it("all gives a tuple", () => {
    const both = started().all([Repo, Pool]);
    assert.equal(claim<Same<typeof both, [Repo, Pool]>>(true), true);
  });

  it("a token is accepted for any bean type, and never for a narrower one", () => {
    assert.equal(claim<Fits<Interface<Repo>, Interface<object>>>(true), true);
    assert.equal(claim<Fits<Interface<object>, Interface<Repo>>>(false), false);
  });

  it("a factory must give the whole type, not a part, another one or a promise", () => {
    assert.equal(claim<Fits<() => { find(id: string): Promise<number>; more: 1 }, FactoryOf<Repo>>>(true), true);
    assert.equal(claim<Fits<() => object, FactoryOf<Repo>>>(false), false);
    assert.equal(claim<Fits<(b: BeanResolver) => Pool, FactoryOf<Repo>>>(false), false);
    assert.equal(claim<Fits<() => Promise<Repo>, FactoryOf<Repo>>>(false), false);
  });

  it("an abstract class is a key: get gives its type, and a factory must give the whole of it", () => {
    const beans = Beans.builder()
      .bind(Orders, () => ({ find: async () => 1 }))
      .override(Orders, () => new SqlOrders())
      .start();
    const orders = beans.get(Orders);
    assert.equal(claim<Same<typeof orders, Orders>>(true), true);
    const builder = Beans.builder();
    // @ts-expect-error -- the method brings something else
    builder.bind(Orders, () => ({ find: async () => "1" }));
    // @ts-expect-error -- another class
    builder.override(Orders, () => new Pool());
    // @ts-expect-error -- a promise is for bindAsync
    builder.override(Orders, async () => new SqlOrders());
    assert.equal(claim<Fits<() => { find(id: string): Promise<string> }, FactoryOf<Orders>>>(false), false);
    // The private field belongs to the subclass.
    assert.equal(claim<Fits<() => Orders, FactoryOf<SqlOrders>>>(false), false);
  });

  it("bindAsync removes start() and buildLazy() and keeps startAsync()", () => {
    const builder = Beans.builder().bindAsync(Repo, async () => ({ find: async () => 1 }));
    assert.equal(claim<Same<typeof builder, AsyncBeansBuilder>>(true), true);
    assert.equal(claim<"start" extends keyof typeof builder ? true : false>(false), false);
    assert.equal(claim<"buildLazy" extends keyof typeof builder ? true : false>(false), false);
    assert.equal(claim<"startAsync" extends keyof typeof builder ? true : false>(true), true);
    const more = builder.bind(Pool, () => new Pool());
    assert.equal(claim<"start" extends keyof typeof more ? true : false>(false), false);
  });

  it("a container can be disposed of", () => {
    assert.equal(claim<Fits<Beans, AsyncDisposable>>(true), true);
  });
});
