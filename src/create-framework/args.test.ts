/**
 * Tests which arguments the command line accepts, and its messages about the others.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandOf } from "./args.ts";
import { UsageError } from "./errors.ts";
import { projectName } from "./project-name.ts";
import { resourceName } from "./resource-name.ts";

const demo = {
  kind: "new",
  name: "demo",
  devtools: true,
  schema: "zod",
  redis: false,
  tools: false,
  work: undefined,
  from: undefined,
};

/** The message with which `run` throws. */
function rejection(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("nothing was rejected");
}

describe("commandOf", () => {
  it("accepts `framework new <name>` and `create-framework <name>`, also with a superfluous `new`", () => {
    assert.deepEqual(commandOf(["new", "demo"], "framework"), demo);
    assert.deepEqual(commandOf(["demo"], "create-framework"), demo);
    assert.deepEqual(commandOf(["new", "demo"], "create-framework"), demo);
    assert.deepEqual(commandOf(["new"], "create-framework"), { ...demo, name: "new" });
  });

  it("omits devtools with any of three spellings, before or after the name", () => {
    for (const words of [
      ["--devtools", "false"],
      ["--devtools=false"],
      ["--no-devtools"],
      ["--no-devtools", "--devtools=false"],
    ]) {
      assert.deepEqual(commandOf(["new", "demo", ...words], "framework"), { ...demo, devtools: false });
      assert.deepEqual(commandOf([...words, "new", "demo"], "framework"), { ...demo, devtools: false });
    }
    assert.deepEqual(commandOf(["demo", "--devtools", "true"], "create-framework"), demo);
  });

  it("validates bodies with zod, unless another of the four is requested", () => {
    for (const schema of ["zod", "valibot", "typebox", "none"])
      assert.deepEqual(commandOf(["new", "demo", "--schema", schema], "framework"), { ...demo, schema });
    assert.equal(
      rejection(() => commandOf(["new", "demo", "--schema", "joi"], "framework")),
      '--schema is "joi": zod, valibot, typebox, none are allowed',
    );
  });

  it("keeps shared state in Redis on request", () => {
    assert.deepEqual(commandOf(["new", "demo", "--redis"], "framework"), { ...demo, redis: true });
    assert.deepEqual(commandOf(["--redis", "demo"], "create-framework"), { ...demo, redis: true });
    assert.deepEqual(commandOf(["new", "demo", "--tools"], "framework"), { ...demo, tools: true });
  });

  it("has jobs in PostgreSQL or in Redis on request", () => {
    for (const work of ["pg", "redis"])
      assert.deepEqual(commandOf(["new", "demo", "--work", work], "framework"), { ...demo, work });
    assert.equal(
      rejection(() => commandOf(["new", "demo", "--work=kafka"], "framework")),
      '--work is "kafka": pg and redis are allowed',
    );
  });

  it("accepts a folder for the packages", () => {
    assert.deepEqual(commandOf(["demo", "--from", "../pack"], "create-framework"), { ...demo, from: "../pack" });
  });

  it("prints help on request, and if `framework` is called without arguments", () => {
    for (const words of [[], ["--help"], ["-h"], ["new", "--help"]])
      assert.deepEqual(commandOf(words, "framework"), { kind: "help" });
    assert.deepEqual(commandOf(["--version"], "framework"), { kind: "version" });
  });

  it("accepts `framework generate <what> <Name>`", () => {
    const name = resourceName("Order");
    for (const what of ["resource", "controller", "service", "repository"] as const)
      assert.deepEqual(commandOf(["generate", what, "Order"], "framework"), { kind: "generate", what, name });
    assert.deepEqual(commandOf(["generate"], "create-framework"), { ...demo, name: "generate" });
  });

  it("rejects an unknown generate command", () => {
    const rejected = (...words: string[]): string => rejection(() => commandOf(["generate", ...words], "framework"));
    const list = "resource, controller, service and repository can";
    assert.equal(rejected(), `what to generate is missing: ${list}`);
    assert.equal(rejected("model", "Order"), `"model" cannot be generated: ${list}`);
    assert.equal(rejected("service"), "its name is missing: framework generate service Order");
    assert.equal(rejected("service", "A", "B"), 'one service at a time: "B" is too much');
    assert.equal(rejected("service", "A", "--from", "."), "--from is no option of generate; --help lists them");
  });

  it("rejects everything else with one sentence", () => {
    const rejected = (...words: string[]): string => rejection(() => commandOf(words, "framework"));
    assert.equal(rejected("new", "demo", "--colour"), "Unknown option '--colour'; --help lists the options");
    assert.equal(rejected("new", "demo", "--no-devtools=x").split("\n").length, 1);
    assert.equal(rejected("new", "demo", "--devtools", "no"), '--devtools is "no": true or false is allowed');
    assert.equal(
      rejected("new", "demo", "--no-devtools", "--devtools=true"),
      "--devtools is both wanted and not: say it once",
    );
    assert.equal(rejected("nwe"), '"nwe" is no command: new, generate, client and openapi are; see --help');
    assert.equal(rejected("new"), "the project's name is missing: framework new <project-name>");
    assert.equal(rejected("new", "a", "b"), 'one project at a time: "b" is too much');
    assert.equal(
      rejection(() => commandOf([], "create-framework")),
      "the project's name is missing: create-framework <project-name>",
    );
  });
});

describe("projectName", () => {
  it("accepts names that are valid for a folder, a package, an image and a Kubernetes object", () => {
    for (const name of ["a", "demo", "my-app-2", "a".repeat(63)]) assert.equal(projectName(name), name);
  });

  it("suggests the nearest allowed name, if there is one", () => {
    const near = ["MyShop", "my_shop", "2fast", "a.b/", "é", "--"].map(
      (name) => /; "(.*)" would do$/.exec(rejection(() => projectName(name)))?.[1],
    );
    assert.deepEqual(near, ["my-shop", "my-shop", "fast", "a-b", undefined, undefined]);
  });

  it("rejects the rest", () => {
    for (const name of [
      "",
      ".",
      "..",
      "../demo",
      "a/b",
      "Demo",
      "2fast",
      "-a",
      "a-",
      "a.b",
      "a b",
      "a\nb",
      "é",
      "a".repeat(64),
    ]) {
      assert.match(
        rejection(() => projectName(name)),
        /^".*" is no project name: lower-case letters/,
      );
    }
    assert.equal(
      rejection(() => projectName("framework")),
      'a project cannot be called "framework": another package has that name',
    );
  });
});
