/**
 * Where methods are: in classes, in literals, inherited, through source maps, and without a debugger.
 * In a separate process, because an inspector session ends the coverage of branches in its process.
 */
import assert from "node:assert/strict";
import { Session } from "node:inspector";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runInThisContext } from "node:vm";
import { Beans, Framework, Interface } from "framework";
import { Devtools, type MethodSource } from "../index.ts";
import { methodSources } from "./method-sources.ts";
import { Stacks } from "../capture/stacks.ts";

/** The globals before the first request. */
const globals = Reflect.ownKeys(globalThis);
const stacks = new Stacks(process.cwd(), (text) => text);

/** The original line in this file of the call. */
function here(): number {
  const [, , line = ""] = (new Error("here").stack ?? "").split("\n");
  return Number(/method-sources\.process\.test\.ts:(\d+):/.exec(line)?.[1]);
}

class Base {
  inherited(): string {
    return "base";
  }
  hidden(): string {
    return "base";
  }
}
const baseLine = here() - 8;
class Orders extends Base {
  readonly field = (): string => "field";
  find(): string {
    return "found";
  }
  override hidden(): string {
    return "orders";
  }
  get total(): number {
    throw new Error("a getter must not be run");
  }
}
const ordersLine = here() - 12;

const shown = (sources: readonly MethodSource[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    sources.map(({ bean, method, file, line }) => [`${bean}.${method}`, `${file.split("/").at(-1)}:${line}`]),
  );

describe("methodSources", () => {
  it("names the original file and line of the method that a call runs", () => {
    const file = "method-sources.process.test.ts";
    assert.deepEqual(shown(methodSources(new Map([["Orders", new Orders()]]), stacks)), {
      "Orders.field": `${file}:${ordersLine + 1}`,
      "Orders.find": `${file}:${ordersLine + 2}`,
      "Orders.hidden": `${file}:${ordersLine + 5}`,
      "Orders.inherited": `${file}:${baseLine + 1}`,
    });
  });

  it("leaves out methods outside of files", () => {
    const evaluated = runInThisContext("() => 1") as () => unknown;
    const bean = {
      bound: here.bind(null),
      native: Array.prototype.push,
      evaluated,
      proxy: new Proxy(here, {}),
      own: () => 1,
    };
    assert.deepEqual(Object.keys(shown(methodSources(new Map([["Odd", bean]]), stacks))), ["Odd.own"]);
  });

  it("leaves no global, also if the debugger fails during the request", (t) => {
    const ended = t.mock.method(Session.prototype, "disconnect");
    const beans = new Map([["Orders", new Orders()]]);
    assert.equal(methodSources(beans, stacks).length, 4);
    assert.deepEqual([Reflect.ownKeys(globalThis), ended.mock.callCount()], [globals, 1]);
    t.mock.method(Session.prototype, "post", () => assert.fail("no"));
    assert.deepEqual(methodSources(beans, stacks), []);
    assert.deepEqual([Reflect.ownKeys(globalThis), ended.mock.callCount()], [globals, 2]);
  });

  it("looks up 5,000 methods at most, and none that every object has", () => {
    const code = (): number => 1;
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`m${n}`, code]));
    const sources = methodSources(
      new Map<string, object>([
        ["One", { code }],
        ["Many", many],
      ]),
      stacks,
    );
    assert.deepEqual([sources.length, sources.at(0)?.bean, sources.at(-1)?.method], [5_000, "One", "m4998"]);
  });

  it("names the line of a script that was not compiled, also of a bean without a prototype, and no script without a path", () => {
    const made = (filename: string): unknown => runInThisContext("\n\n(() => 1)", { filename });
    const bean = Object.create(null) as Record<string, unknown>;
    Object.assign(bean, { own: made(join(process.cwd(), "made.js")), other: made("made.js"), value: 7 });
    assert.deepEqual(methodSources(new Map([["Bare", bean]]), stacks), [
      { bean: "Bare", method: "own", file: "made.js", line: 3 },
    ]);
  });

  it("is empty if the runtime has no debugger", (t) => {
    t.mock.method(process, "getBuiltinModule", () => undefined);
    assert.deepEqual(methodSources(new Map([["Orders", new Orders()]]), stacks), []);
  });

  it("is empty if the debugger fails", (t) => {
    class Session {
      connect(): void {
        throw new Error("no");
      }
    }
    t.mock.method(process, "getBuiltinModule", () => ({ Session }));
    assert.deepEqual(methodSources(new Map([["Orders", new Orders()]]), stacks), []);
  });
});

describe("GET …/api/sources", () => {
  /** The method sources from devtools with these options. */
  async function told(options: { readonly stacks?: boolean }): Promise<Readonly<Record<string, string>>> {
    const Named = Interface<Orders>("Named");
    const devtools = Devtools.create({ ...options, allowRemote: true });
    const beans = Beans.builder()
      .bind(Named, () => new Orders())
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create().beans(beans);
    app.get("/named", (ctx) => ctx.get(Named).find());
    devtools.install(app, beans);
    await app.start(0);
    const read = async (): Promise<readonly MethodSource[]> => {
      const response = await fetch(`http://localhost:${app.port}/framework/dev/api/sources`);
      return (await response.json()) as readonly MethodSource[];
    };
    try {
      assert.deepEqual(await read(), await read());
      return shown(await read());
    } finally {
      await app.stop({ graceMs: 0 });
    }
  }

  it("names the methods of recorded beans, and nothing without stacks", async () => {
    const sources = await told({});
    assert.deepEqual(Object.keys(sources).toSorted(), ["Named.field", "Named.find", "Named.hidden", "Named.inherited"]);
    assert.equal(sources["Named.find"], `method-sources.process.test.ts:${ordersLine + 2}`);
    assert.deepEqual(await told({ stacks: false }), {});
  });
});
