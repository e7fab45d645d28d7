/** A plugin's definition, its scope, and the order of installation (PLUGIN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { definePlugin, Framework } from "../index.ts";
import {
  checkedPlugin,
  InstallQueue,
  type PluginDefinition,
  type PluginPanel,
  pluginsOf,
  type PluginScope,
} from "./plugins.ts";

const panel = { title: "Mails", kind: "table", read: () => [] } as const;
const checked = (definition: unknown): unknown => checkedPlugin(definition as PluginDefinition);

describe("the definition of a plugin", () => {
  for (const [what, definition] of Object.entries({
    "a name alone": { name: "mail" },
    "a name of 64 characters": { name: `M${"a._-9".repeat(13).slice(0, 63)}` },
    "every member": { name: "mail", needs: ["log"], beans: () => 1, install: () => 1, panel },
    "omitted members": { name: "mail", needs: undefined, beans: undefined, install: undefined, panel: undefined },
    "a tree": { name: "mail", panel: { ...panel, kind: "json" } },
    "a drawing": { name: "mail", panel: { ...panel, kind: "graph" } },
  }))
    test(`accepts ${what}`, () => assert.equal(checked(definition), definition));

  for (const [what, definition, message] of [
    ["a text", "mail", "a plugin is what definePlugin({ name, … }) gives, not string"],
    ["null", null, "a plugin is what definePlugin({ name, … }) gives, not object"],
  ] as const)
    test(`rejects ${what}`, () => assert.throws(() => checked(definition), { code: "PLUGIN_INVALID", message }));

  for (const name of [undefined, 7, "", "-a", "a b", "a".repeat(65)])
    test(`rejects the name ${JSON.stringify(name)}`, () =>
      assert.throws(() => checked({ name }), {
        code: "PLUGIN_INVALID",
        message: `a plugin has the name ${JSON.stringify(name)}: letters, digits, ".", "_" and "-" are allowed, 64 at most`,
      }));

  test("rejects needs that are not names", () =>
    assert.throws(() => checked({ name: "x", needs: ["log", 7] }), {
      message: 'the plugin "x" has needs that are no list of names: ["mail"] is one',
    }));

  for (const [what, odd] of Object.entries({
    "that is null": null,
    "that is a function": Object.assign(() => undefined, panel),
    "without a title": { ...panel, title: 7 },
    "of another kind": { ...panel, kind: "tree" },
    "with an invalid read": { ...panel, read: [] },
  }))
    test(`rejects a panel with ${what}`, () =>
      assert.throws(() => checked({ name: "x", panel: odd as unknown as PluginPanel }), {
        message: /^the plugin "x" has a panel that is none: \{ title/,
      }));

  test("gives a plugin for every copy of this package", () => {
    assert.equal(pluginsOf, Symbol.for("framework.plugins"));
    assert.equal(typeof definePlugin({ name: "x" })[pluginsOf], "function");
  });
});

describe("the scope of a plugin", () => {
  test("logs to the app's logger, and runs background work of the app", async () => {
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    let scope: PluginScope | undefined;
    const plugin = definePlugin({ name: "x", install: (given) => void (scope = given) });
    const app = Framework.create({ logger: { warn: note, error: note } }).plugin(plugin);
    scope?.logger.warn("a line of its own");
    assert.equal(
      scope?.background("work", () => Promise.reject(new Error("no"))),
      scope,
    );
    await app.ready();
    await app.stop();
    assert.deepEqual(lines, ["a line of its own", "background work work failed"]);
  });
});

/** A promise and its resolve functions. */
function gate(): { readonly opened: Promise<void>; open(): void; fail(error: Error): void } {
  let open = (): void => undefined;
  let fail: (error: Error) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => ((open = resolve), (fail = reject)));
  return { opened, open: () => open(), fail: (error) => fail(error) };
}

describe("InstallQueue", () => {
  test("installs immediately when none is under way, and passes its error to the caller", () => {
    const queue = new InstallQueue();
    let installed = 0;
    queue.add(() => void (installed += 1));
    const error = new Error("no");
    const failing = (): void => {
      throw error;
    };
    assert.throws(() => queue.add(failing), error);
    assert.deepEqual([installed, queue.isIdle, queue.settled()], [1, true, undefined]);
  });

  test("installs after the one under way, and waits for those added in that time", async () => {
    const queue = new InstallQueue();
    const [first, last] = [gate(), gate()];
    const order: string[] = [];
    queue.add(() => first.opened.then(() => void order.push("first")));
    queue.add(() => void order.push("second"));
    assert.deepEqual([order, queue.isIdle], [[], false]);
    const settled = queue.settled()?.then(() => void order.push("settled"));
    queue.add(() => last.opened.then(() => void order.push("last")));
    first.open();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ["first", "second"]);
    last.open();
    await settled;
    assert.deepEqual([order, queue.isIdle, queue.settled()], [["first", "second", "last", "settled"], true, undefined]);
  });

  test("installs none that waits after a failed one, and reports that on each call", async () => {
    const queue = new InstallQueue();
    const first = gate();
    let installed = 0;
    queue.add(() => first.opened);
    queue.add(() => void (installed += 1));
    const error = new Error("no");
    first.fail(error);
    await assert.rejects(async () => queue.settled(), error);
    await assert.rejects(async () => queue.settled(), error);
    queue.add(() => void (installed += 1));
    await assert.rejects(async () => queue.settled(), error);
    assert.deepEqual([installed, queue.isIdle], [0, false]);
  });
});
