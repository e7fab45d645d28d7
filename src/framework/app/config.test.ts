/** Unit tests of config.ts: argument, environment, default, and messages for bad values (LIFE). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { checkedPort, configOf, type FrameworkOptions } from "./config.ts";

/** The parts of a schema that hold defaults. */
interface Described {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
}

function defaultsOf({ default: value, properties }: Described): unknown {
  if (properties === undefined) return value;
  return Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, defaultsOf(member)]));
}

describe("configOf", () => {
  test("fills every gap with the documented default", () => {
    const { logger, ...rest } = configOf({}, {});
    assert.deepEqual(Object.keys(logger), ["debug", "info", "warn", "error"]);
    assert.deepEqual(rest, {
      port: 8080,
      host: undefined,
      contextPath: "/",
      strictSlash: false,
      trustProxy: false,
      maxBodyBytes: 1_048_576,
      shutdownGraceMs: 10_000,
      engine: undefined,
      compileSchema: undefined,
      compileSerializer: undefined,
      jsonSchemaOf: undefined,
      responseChecks: "shape",
      limits: { headerBytes: 16_384, headerCount: 100, urlBytes: 8_192, jsonDepth: 64, queryPairs: 1_000 },
      timeouts: { headersMs: 15_000, requestMs: 60_000, idleMs: 120_000, checkMs: 5_000, handlerMs: 0 },
    });
  });

  test("has the defaults of the schema", () => {
    const file = new URL("../../spec/config.schema.json", import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8")) as Described;
    const { logger, engine, compileSchema, compileSerializer, jsonSchemaOf, host, ...defaults } = configOf({}, {});
    assert.deepEqual(defaultsOf(schema), { $schema: undefined, host, ...defaults });
    assert.deepEqual([engine, compileSchema, compileSerializer, jsonSchemaOf], Array(4).fill(undefined));
    assert.equal(typeof logger.warn, "function");
  });

  test("prefers the argument to the environment", () => {
    const env = {
      FRAMEWORK_PORT: "1",
      FRAMEWORK_HOST: "::1",
      FRAMEWORK_CONTEXT_PATH: "/env/",
      FRAMEWORK_MAX_BODY_BYTES: "2",
      FRAMEWORK_SHUTDOWN_GRACE_MS: "3",
    };
    const pick = (options: FrameworkOptions): unknown => {
      const { port, host, contextPath, maxBodyBytes, shutdownGraceMs } = configOf(options, env);
      return [port, host, contextPath, maxBodyBytes, shutdownGraceMs];
    };
    assert.deepEqual(pick({}), [1, "::1", "/env", 2, 3]);
    assert.deepEqual(pick({ port: 9, host: "h", contextPath: "/", maxBodyBytes: 0, shutdownGraceMs: 0 }), [
      9,
      "h",
      "/",
      0,
      0,
    ]);
    assert.equal(configOf({}, { FRAMEWORK_PORT: " " }).port, 8080);
  });

  test("reads the environment of the process", () => {
    const before = process.env["FRAMEWORK_CONTEXT_PATH"];
    process.env["FRAMEWORK_CONTEXT_PATH"] = "/env";
    try {
      assert.equal(configOf({}).contextPath, "/env");
    } finally {
      if (before === undefined) delete process.env["FRAMEWORK_CONTEXT_PATH"];
      else process.env["FRAMEWORK_CONTEXT_PATH"] = before;
    }
  });

  test("accepts the bounds, blanks around digits, and the key that points an editor to the schema", () => {
    const most = 2 ** 31 - 1;
    const options = { $schema: "./config.schema.json", maxBodyBytes: most, limits: { urlBytes: 1, headerCount: most } };
    const { maxBodyBytes, limits } = configOf(options, {});
    assert.deepEqual([maxBodyBytes, limits.urlBytes, limits.headerCount, limits.jsonDepth], [most, 1, most, 64]);
    assert.deepEqual(
      [configOf({ port: 65_535 }, {}).port, configOf({}, { FRAMEWORK_PORT: " 80\n" }).port],
      [65_535, 80],
    );
  });

  test("treats an empty variable as missing, and accepts every literal path", () => {
    const names = ["PORT", "HOST", "CONTEXT_PATH", "MAX_BODY_BYTES", "SHUTDOWN_GRACE_MS", "RESPONSE_CHECKS"];
    const empty = Object.fromEntries(names.map((name) => [`FRAMEWORK_${name}`, ""]));
    const { logger, ...config } = configOf({}, empty);
    const { logger: other, ...defaults } = configOf({}, {});
    assert.deepEqual([config, Object.keys(logger)], [defaults, Object.keys(other)]);
    for (const contextPath of ["/shop", "/a.b/c-d", "/a/..b", "/a/b../c", "/~a/@b"])
      assert.equal(configOf({ contextPath }, {}).contextPath, contextPath);
    for (const [given, path] of [
      ["/", "/"],
      ["", "/"],
      ["/a/", "/a"],
    ] as const)
      assert.equal(configOf({ contextPath: given }, {}).contextPath, path);
    for (const checks of ["off", "warn", "enforce"] as const) {
      assert.equal(configOf({}, { FRAMEWORK_RESPONSE_CHECKS: checks }).responseChecks, checks);
      assert.equal(configOf({ responseChecks: checks }, { FRAMEWORK_RESPONSE_CHECKS: "x" }).responseChecks, checks);
    }
    assert.equal(configOf({ strictSlash: true }, {}).strictSlash, true);
  });

  const most = 2 ** 31 - 1;
  const aHost = "a name or an address without a scheme is allowed";
  const aPath = 'a literal path such as "/shop" is allowed';
  const words = '"shape", "warn", "enforce" or "off" is allowed';
  const settings =
    "port, host, contextPath, strictSlash, trustProxy, maxBodyBytes, shutdownGraceMs, engine, compileSchema, compileSerializer, jsonSchemaOf, responseChecks, logger, limits, timeouts are";
  const bad: readonly (readonly [options: object, env: Record<string, string>, sentence: string])[] = [
    [{ port: 70_000 }, {}, "port is 70000: a whole number from 0 to 65535 is allowed"],
    [{ port: Number.NaN }, {}, "port is NaN: a whole number from 0 to 65535 is allowed"],
    [{ port: "80" }, {}, 'port is "80": a whole number from 0 to 65535 is allowed'],
    [{}, { FRAMEWORK_PORT: "x" }, 'port is "x" (from FRAMEWORK_PORT): a whole number from 0 to 65535 is allowed'],
    [{}, { FRAMEWORK_PORT: "8 0" }, 'port is "8 0" (from FRAMEWORK_PORT): a whole number from 0 to 65535 is allowed'],
    [{}, { FRAMEWORK_PORT: "0x50" }, 'port is "0x50" (from FRAMEWORK_PORT): a whole number from 0 to 65535 is allowed'],
    [{ maxBodyBytes: 1.5 }, {}, `maxBodyBytes is 1.5: a whole number from 0 to ${most} is allowed`],
    [
      {},
      { FRAMEWORK_MAX_BODY_BYTES: "1k" },
      `maxBodyBytes is "1k" (from FRAMEWORK_MAX_BODY_BYTES): a whole number from 0 to ${most} is allowed`,
    ],
    [
      {},
      { FRAMEWORK_SHUTDOWN_GRACE_MS: "-1" },
      `shutdownGraceMs is "-1" (from FRAMEWORK_SHUTDOWN_GRACE_MS): a whole number from 0 to ${most} is allowed`,
    ],
    [{ limits: { headerCount: 0 } }, {}, `limits.headerCount is 0: a whole number from 1 to ${most} is allowed`],
    [
      { timeouts: { idleMs: 2 ** 31 } },
      {},
      `timeouts.idleMs is 2147483648: a whole number from 1 to ${most} is allowed`,
    ],
    [
      { limits: { nope: 1 } },
      {},
      "limits.nope is no setting: headerBytes, headerCount, urlBytes, jsonDepth, queryPairs are",
    ],
    [
      { timeouts: { nope: 1 } },
      {},
      "timeouts.nope is no setting: headersMs, requestMs, idleMs, checkMs, handlerMs are",
    ],
    [{ prot: 1 }, {}, `prot is no setting of Framework.create: ${settings}`],
    [{ strictSlash: "false" }, {}, 'strictSlash is "false": true or false is allowed'],
    [{ engine: Map }, {}, "engine is a function: an engine such as new NodeHttp2Engine() is allowed"],
    [{ engine: "http2" }, {}, 'engine is "http2": an engine such as new NodeHttp2Engine() is allowed'],
    [{ compileSchema: {} }, {}, "compileSchema is {}: a function is allowed"],
    [{ jsonSchemaOf: {} }, {}, "jsonSchemaOf is {}: a function is allowed"],
    [{ logger: null }, {}, "logger is null: an object with warn and error is allowed"],
    [{ logger: "silent" }, {}, 'logger is "silent": an object with warn and error is allowed'],
    [{ responseChecks: true }, {}, `responseChecks is true: ${words}`],
    [{}, { FRAMEWORK_RESPONSE_CHECKS: "on" }, `responseChecks is "on" (from FRAMEWORK_RESPONSE_CHECKS): ${words}`],
    [{ host: "http://x" }, {}, `host is "http://x": ${aHost}`],
    [{ host: 7 }, {}, `host is 7: ${aHost}`],
    [{}, { FRAMEWORK_HOST: "a b" }, `host is "a b" (from FRAMEWORK_HOST): ${aHost}`],
    [{ contextPath: "shop" }, {}, `contextPath is "shop": ${aPath}`],
    [{ contextPath: 7 }, {}, `contextPath is 7: ${aPath}`],
    [{ contextPath: ["/shop"] }, {}, `contextPath is ["/shop"]: ${aPath}`],
    [{ contextPath: "/a/../b" }, {}, `contextPath is "/a/../b": ${aPath}`],
    [{ contextPath: "/a/./b" }, {}, `contextPath is "/a/./b": ${aPath}`],
    [{ contextPath: "/a/b//" }, {}, `contextPath is "/a/b//": ${aPath}`],
    [{ contextPath: "a/b" }, {}, `contextPath is "a/b": ${aPath}`],
    [{ contextPath: "/a b" }, {}, `contextPath is "/a b": ${aPath}`],
    [{ contextPath: "/a/." }, {}, `contextPath is "/a/.": ${aPath}`],
    [{ contextPath: "/a//b" }, {}, `contextPath is "/a//b": ${aPath}`],
    [{ contextPath: "/caf%C3%A9" }, {}, `contextPath is "/caf%C3%A9": ${aPath}, without a percent-escape`], // ROUTE-019
    [{ contextPath: "/{a}" }, {}, `contextPath is "/{a}": ${aPath}`],
    [{}, { FRAMEWORK_CONTEXT_PATH: "a" }, `contextPath is "a" (from FRAMEWORK_CONTEXT_PATH): ${aPath}`],
  ];
  for (const [options, env, message] of bad)
    test(`rejects ${JSON.stringify(options)} ${JSON.stringify(env)}`, () =>
      assert.throws(() => configOf(options, env), { name: "TypeError", code: "CONFIG_INVALID", message }));

  test("shields the app from a throwing logger", () => {
    const fail = (): never => {
      throw new Error("logger");
    };
    const { logger } = configOf({ logger: { warn: fail, error: fail } }, {});
    assert.deepEqual([logger.warn("w"), logger.error("e", new Error("x"))], [undefined, undefined]);
  });
});

describe("checkedPort", () => {
  test("accepts 0 to 65535", () => assert.deepEqual([checkedPort(0), checkedPort(65_535)], [0, 65_535]));
  for (const port of [-1, 65_536, 1.5, Number.NaN])
    test(`rejects ${port}`, () =>
      assert.throws(() => checkedPort(port), {
        code: "CONFIG_INVALID",
        message: `port is ${port}: a whole number from 0 to 65535 is allowed`,
      }));
  test("names the type of a value that only looks like a port", () => {
    assert.throws(() => checkedPort("8080" as never), /^TypeError: port is "8080": /);
    assert.throws(() => checkedPort({ port: 80 } as never), /^TypeError: port is \{"port":80\}: /);
  });
});
