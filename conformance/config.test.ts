/**
 * Compares the schemas of the configuration with `Framework.create` itself: both must accept the same values and know the same
 * options.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { Framework, type FrameworkOptions } from "framework";
import { Config, Environment } from "../spec/config.ts";

const ajv = new Ajv2020({ strict: true });
const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`framework/spec/${name}.schema.json`)), "utf8"));
const options = ajv.compile(read("config") as object);
const environment = ajv.compile(read("environment") as object);

/** Does `Framework.create` accept the options, in that environment? */
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
const trusts = [
  true,
  false,
  "no",
  1,
  null,
  [],
  {},
  { header: "x-forwarded" },
  { header: "X-Forwarded-For" },
  { hops: 1 },
  ...[0, 1, 1.5, 100, 101, "1", null].map((hops) => ({ header: "forwarded", hops })),
  ...[[], "loopback", [7], ["loopback", "private"], null].map((from) => ({ header: "x-forwarded", from })),
  { header: "forwarded", hops: 1, from: ["loopback"] },
  { header: "forwarded", hop: 1 },
];
const places = [
  "loopback",
  "private",
  "linklocal",
  "Loopback",
  "localhost",
  "",
  "*",
  "10.0.0.0",
  "10.0.0.0/8",
  "10.0.0.1/8",
  "10.0.0.0/0",
  "10.0.0.0/32",
  "10.0.0.0/33",
  "10.0.0.0/08",
  "10/8",
  "256.0.0.1",
  "010.0.0.1",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.4/",
  " 1.2.3.4",
  "255.249.199.99/29",
  "::",
  "::1",
  "::1/128",
  "::1/129",
  "::/0",
  "::/1",
  "fc00::/7",
  "2001:DB8::/32",
  "1:2:3:4:5:6:7:8/109",
  "1::8",
  "1:2:3:4:5:6:7::",
  "::2:3:4:5:6:7:8",
  "1:2:3::5:6:7:8",
  "1:2:3:4::5:6:7:8",
  "1:2:3:4:5:6:7",
  "1::2::3",
  ":::",
  "1:",
  "::ffff:10.0.0.1",
  "::ffff:a00:1/104",
  "fe80::1%eth0",
  "[::1]",
  "12345::",
  "g::",
];
const samples: readonly (readonly [key: string, values: readonly unknown[]])[] = [
  ["port", numbers],
  ["maxBodyBytes", numbers],
  ["shutdownGraceMs", numbers],
  ["host", ["", "localhost", "::1", "0.0.0.0", "http://x", "a b", 7]],
  ["contextPath", paths],
  ["strictSlash", [true, false, "true", 0]],
  ["trustProxy", [...trusts, ...places.map((place) => ({ header: "forwarded", from: [place] }))]],
  ["$schema", ["./node_modules/framework/spec/config.schema.json"]],
  ["colour", ["red"]],
];
const groups = { limits: Config.properties.limits, timeouts: Config.properties.timeouts };

describe("framework/spec/config.schema.json", () => {
  it("accepts exactly the options that Framework.create accepts", () => {
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

  it("accepts the same addresses and ranges of proxies, in every notation", () => {
    const parts = fc.constantFrom(":", "::", ".", "/", "0", "1", "10", "99", "128", "255", "256", "ffff", "a", "A0");
    const text = fc.oneof(
      fc.array(parts, { maxLength: 18 }).map((found) => found.join("")),
      fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(140)).map(([address, bits]) => `${address}/${bits}`),
    );
    fc.assert(
      fc.property(text, (place) => {
        const given: FrameworkOptions = { trustProxy: { header: "forwarded", from: [place] } };
        assert.equal(options(given), takes(given), place);
      }),
      { numRuns: 5_000 },
    );
  });

  it("has the options in the order of the error message, with a description of each", () => {
    const { $schema, ...properties } = Config.properties;
    assert.ok($schema);
    assert.throws(
      () => Framework.create({ colour: "red" } as FrameworkOptions),
      (error: Error) => {
        const named = /: (.*) are$/.exec(error.message)?.[1]?.split(", ") ?? [];
        assert.deepEqual(
          named.filter(
            (name) => !["engine", "logger", "compileSchema", "compileSerializer", "jsonSchemaOf"].includes(name),
          ),
          Object.keys(properties),
        );
        return true;
      },
    );
  });
});

describe("framework/spec/environment.schema.json", () => {
  it("accepts exactly the variables that Framework.create accepts", () => {
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
