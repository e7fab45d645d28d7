/** What a plugin may be made of, and what its scope has of the app (PLUGIN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { definePlugin, Framework } from "../index.ts";
import { checkedPlugin, type PluginDefinition, type PluginPanel, pluginsOf, type PluginScope } from "./plugin.ts";

const panel = { title: "Mails", kind: "table", read: () => [] } as const;
const checked = (definition: unknown): unknown => checkedPlugin(definition as PluginDefinition);

describe("the definition of a plugin", () => {
  for (const [what, definition] of Object.entries({
    "a name alone": { name: "mail" },
    "a name of 64 characters": { name: `M${"a._-9".repeat(13).slice(0, 63)}` },
    "all that there is": { name: "mail", needs: ["log"], beans: () => 1, install: () => 1, panel },
    "what is left out": { name: "mail", needs: undefined, beans: undefined, install: undefined, panel: undefined },
    "a tree": { name: "mail", panel: { ...panel, kind: "json" } },
    "a drawing": { name: "mail", panel: { ...panel, kind: "graph" } },
  }))
    test(`takes ${what}`, () => assert.equal(checked(definition), definition));

  for (const [what, definition, message] of [
    ["a text", "mail", "a plugin is what definePlugin({ name, … }) gives, not string"],
    ["null", null, "a plugin is what definePlugin({ name, … }) gives, not object"],
  ] as const)
    test(`is none of ${what}`, () => assert.throws(() => checked(definition), { code: "PLUGIN_INVALID", message }));

  for (const name of [undefined, 7, "", "-a", "a b", "a".repeat(65)])
    test(`has no name ${JSON.stringify(name)}`, () =>
      assert.throws(() => checked({ name }), {
        code: "PLUGIN_INVALID",
        message: `a plugin has the name ${JSON.stringify(name)}: letters, digits, ".", "_" and "-" are allowed, 64 at most`,
      }));

  test("has no needs that are no names", () =>
    assert.throws(() => checked({ name: "x", needs: ["log", 7] }), {
      message: 'the plugin "x" has needs that are no list of names: ["mail"] is one',
    }));

  for (const [what, odd] of Object.entries({
    "that is null": null,
    "that is a function": Object.assign(() => undefined, panel),
    "without a title": { ...panel, title: 7 },
    "of another kind": { ...panel, kind: "tree" },
    "that cannot be read": { ...panel, read: [] },
  }))
    test(`has no panel ${what}`, () =>
      assert.throws(() => checked({ name: "x", panel: odd as unknown as PluginPanel }), {
        message: /^the plugin "x" has a panel that is none: \{ title/,
      }));

  test("gives a plugin for every copy of this package", () => {
    assert.equal(pluginsOf, Symbol.for("framework.plugins"));
    assert.equal(typeof definePlugin({ name: "x" })[pluginsOf], "function");
  });
});

describe("the scope of a plugin", () => {
  test("logs where the app logs, and has its background work", async () => {
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
