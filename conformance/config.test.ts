/**
 * The schemas of the configuration, held against `Framework.create` itself: both accept the same, and know the same.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Framework, type FrameworkOptions } from "framework";
import { Config, Environment } from "../spec/config.ts";

const ajv = new Ajv2020({ strict: true });
const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`framework/spec/${name}.schema.json`)), "utf8"));
const options = ajv.compile(read("config") as object);
const environment = ajv.compile(read("environment") as object);

/** Does `Framework.create` take the options, in that environment? */
function takes(given: FrameworkOptions, variables: Readonly<Record<string, string>> = {}): boolean {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    Framework.create(given);
    return true;
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return false;
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

const numbers = [-1, 0, 1, 1.5, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, "8080", "", true, null];
const paths = [
  "",
  "/",
  "/shop",
  "/shop/",
  "/a/b",
  "shop",
  "/a//b",
  "/{id}",
  "/a b",
  "/.",
  "/a/..",
  "/a/..b",
  "/ä",
  "/a/./b",
  7,
];
const samples: readonly (readonly [key: string, values: readonly unknown[]])[] = [
  ["port", numbers],
  ["maxBodyBytes", numbers],
  ["shutdownGraceMs", numbers],
  ["host", ["", "localhost", "::1", "0.0.0.0", "http://x", "a b", 7]],
  ["contextPath", paths],
  ["strictSlash", [true, false, "true", 0]],
  ["trustProxy", [true, false, "no", 1]],
  ["$schema", ["./node_modules/framework/spec/config.schema.json"]],
  ["colour", ["red"]],
];
const groups = { limits: Config.properties.limits, timeouts: Config.properties.timeouts };

describe("framework/spec/config.schema.json", () => {
  it("HELP-005: accepts exactly the options that Framework.create accepts", () => {
    const tried = [
      ...samples.flatMap(([key, values]) => values.map((value) => ({ [key]: value }))),
      ...Object.entries(groups).flatMap(([group, { properties }]) =>
        [...Object.keys(properties), "colour"].flatMap((key) =>
          numbers.map((value) => ({ [group]: { [key]: value } })),
        ),
      ),
    ];
    const differing = tried.filter((given) => options(given) !== takes(given));
    assert.deepEqual(differing, []);
    assert.ok(tried.some((given) => options(given)) && tried.some((given) => !options(given)));
  });

  it("HELP-005: has the options in the order in which the error names them, and says what each is for", () => {
    const { $schema, ...properties } = Config.properties;
    assert.ok($schema);
    assert.throws(
      () => Framework.create({ colour: "red" } as FrameworkOptions),
      (error: Error) => {
        const named = /: (.*) are$/.exec(error.message)?.[1]?.split(", ") ?? [];
        assert.deepEqual(
          named.filter((name) => name !== "engine" && name !== "logger"),
          Object.keys(properties),
        );
        return true;
      },
    );
  });
});

describe("framework/spec/environment.schema.json", () => {
  it("HELP-006: accepts exactly the variables that Framework.create accepts", () => {
    const values = [
      "",
      " ",
      "0",
      "1",
      " 8 ",
      "80a",
      "-1",
      "1.5",
      "0x10",
      "1e3",
      "007",
      "65535",
      "65536",
      "2147483647",
      "2147483648",
      "/",
      "/shop/",
      "shop",
      "::1",
      "a b",
      "http://x",
    ];
    const names = Object.keys(Environment.properties);
    const tried = names.flatMap((name) => values.map((value) => ({ [name]: value })));
    assert.deepEqual(
      tried.filter((given) => environment(given) !== takes({}, given)),
      [],
    );
    assert.ok(tried.some((given) => environment(given)) && tried.some((given) => !environment(given)));
  });
});
