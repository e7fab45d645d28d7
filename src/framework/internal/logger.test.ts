import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { format } from "node:util";
import fc from "fast-check";
import { pino } from "pino";
import {
  consoleLogger,
  type ConsoleLoggerOptions,
  type Logger,
  type LogFields,
  pinoLogger,
  safeLogger,
} from "./logger.ts";

/** The console calls during `use`: the method, and its arguments. */
function written(use: () => void): unknown[][] {
  const methods = (["debug", "info", "warn", "error"] as const).map((name) =>
    mock.method(console, name, () => undefined),
  );
  try {
    use();
    return methods.flatMap((method, at) =>
      method.mock.calls.map((call) => [["debug", "info", "warn", "error"][at], ...(call.arguments as unknown[])]),
    );
  } finally {
    for (const method of methods) method.mock.restore();
  }
}

const logAll = (options: ConsoleLoggerOptions): unknown[][] =>
  written(() => {
    const logger = consoleLogger(options);
    logger.debug("d");
    logger.info("i", { order: 7, name: "Ada L", id: "a-1", none: undefined, big: 1n });
    logger.warn("w");
    logger.error("e", new Error("boom"), { a: 1 });
  });

describe("consoleLogger", () => {
  test("writes text from its level on", () => {
    assert.deepEqual(logAll({}), [
      ["info", 'i order=7 name="Ada L" id=a-1 none=undefined big=1'],
      ["warn", "w"],
      ["error", "e a=1", new Error("boom")],
    ]);
    assert.deepEqual(
      logAll({ level: "error" }).map(([level]) => level),
      ["error"],
    );
    assert.equal(logAll({ level: "debug" }).length, 4);
  });

  test("rejects an unknown level or format and names it", () => {
    assert.throws(() => consoleLogger({ format: "JSON" as "json" }), {
      code: "CONFIG_INVALID",
      message: 'consoleLogger: format is "JSON"; text, json are allowed',
    });
    assert.throws(() => consoleLogger({ level: "warning" as "warn" }), {
      code: "CONFIG_INVALID",
      message: 'consoleLogger: level is "warning"; debug, info, warn, error are allowed',
    });
  });

  test("shows an error also after a text that looks like a format", () => {
    const error = new Error("boom");
    const [call] = written(() => consoleLogger().error("GET /caf%c3%a9 failed", error));
    const [, ...shown] = call ?? [];
    assert.match(format(...shown), /^GET \/caf%c3%a9 failed Error: boom\n/);
  });

  test("writes JSON", () => {
    const lines = logAll({ format: "json" }).map(([, line]) => JSON.parse(String(line)) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({ time, error, ...rest }) => [typeof time, (error as Error | undefined)?.message, rest]),
      [
        ["string", undefined, { level: "info", message: "i", order: 7, name: "Ada L", id: "a-1", big: "1" }],
        ["string", undefined, { level: "warn", message: "w" }],
        ["string", "boom", { level: "error", message: "e", a: 1 }],
      ],
    );
  });

  test("writes a value as one word: an error by its message, an object as JSON, other values as ?", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const fields = { error: new Error("it broke"), list: [1, "b"], spaced: { a: "b c" }, circular, none: null };
    assert.deepEqual(
      written(() => consoleLogger().info('say "hi"')),
      [["info", 'say "hi"']],
    );
    assert.deepEqual(
      written(() => consoleLogger().info("m", fields)),
      [["info", String.raw`m error="it broke" list=[1,"b"] spaced="{\"a\":\"b c\"}" circular=? none=null`]],
    );
  });

  test("writes a control character as its four digits", () => {
    const lines = written(() => consoleLogger().info("bell \u0007, left \u200e, letter \u061c", { "\u0085": 1 }));
    assert.deepEqual(lines, [["info", String.raw`bell \u0007, left \u200e, letter \u061c \u0085=1`]]);
  });

  test("writes an error in JSON with its name and its stack, and omits fields without JSON", () => {
    const error = new RangeError("far");
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const lines = written(() => {
      const logger = consoleLogger({ format: "json" });
      logger.info("i", { circular });
      logger.warn("w", { error });
      logger.error("e", error, { inner: { error } });
      logger.error("c", error, { circular, requestId: "a-1", big: 1n });
    }).map(([, line]) => JSON.parse(String(line)) as Record<string, unknown>);
    const shown = { name: "RangeError", message: "far", stack: error.stack };
    const logged = lines.map(({ time, ...rest }) => [new Date(String(time)).toISOString() === time, rest]);
    assert.deepEqual(logged, [
      [true, { level: "info", message: "i" }],
      [true, { level: "warn", message: "w", error: shown }],
      [true, { level: "error", message: "e", inner: { error: shown }, error: shown }],
      [true, { level: "error", message: "c", requestId: "a-1", big: "1", error: shown }],
    ]);
  });

  test("writes the reason as JSON: the causes of an error, and its members", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", toJSON: () => "less" });
    const error = Object.assign(new TypeError("fetch failed", { cause }), { toJSON: () => ({ more: 1 }) });
    const shown = {
      name: "TypeError",
      message: "fetch failed",
      stack: error.stack,
      cause: { name: "Error", message: "connect ECONNREFUSED", stack: cause.stack, code: "ECONNREFUSED" },
    };
    const lines = written(() => {
      const logger = consoleLogger({ format: "json" });
      logger.warn("w", { error, inner: [cause] });
      logger.error("e", error);
    }).map(([, line]) => JSON.parse(String(line)) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({ error: logged, inner }) => [logged, inner]),
      [
        [shown, [shown.cause]],
        [shown, undefined],
      ],
    );
  });

  test("writes the reason in the value of a field", () => {
    const many = new AggregateError([new Error("one"), "two"], "", { cause: new Error("three") });
    const word = (error: Error): unknown => written(() => consoleLogger().warn("m", { error }))[0]?.[1];
    assert.equal(word(new Error("top", { cause: many })), 'm error="top (caused by one, two (caused by three))"');
    assert.equal(word(new AggregateError([new Error("one")], "all")), 'm error="all (one)"');
    assert.equal(word(Object.assign(new Error(""), { code: "E1" })), 'm error="E1"');
  });

  test("writes a line for any thrown value", () => {
    const circular: Record<string, unknown> = { a: 1 };
    circular["self"] = circular;
    const throws = (): never => assert.fail("looked at");
    const { proxy, revoke } = Proxy.revocable(new Error("revoked"), {});
    revoke();
    const thrown: readonly (readonly [value: unknown, json: unknown])[] = [
      ["text", "text"],
      [null, null],
      [1n, "1"],
      [Symbol("s"), "Symbol(s)"],
      [throws, "a function"],
      [circular, { a: 1 }],
      [proxy, {}],
      [{ toJSON: throws, a: 1 }, { a: 1 }],
    ];
    for (const [value, json] of thrown) {
      const [[, line] = []] = written(() => consoleLogger({ format: "json" }).error("e", value));
      assert.deepEqual((JSON.parse(String(line)) as { error?: unknown }).error, json, String(line));
    }
    const unreadable = Object.defineProperty(new Error("e"), Symbol.for("nodejs.util.inspect.custom"), { get: throws });
    const seen: unknown[][] = [];
    const console = mock.method(
      globalThis.console,
      "error",
      (...args: unknown[]) => void (seen.push(args), format(...args)),
    );
    consoleLogger().error("%c", unreadable);
    console.mock.restore();
    assert.deepEqual(
      seen.slice(1).map(([text, error]) => [text, (JSON.parse(String(error)) as Error).message]),
      [["%c", "e"]],
    );
  });

  test("writes one line for each call, for any content", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const unreadable = { toJSON: () => assert.fail("unreadable") };
    const unit = fc.oneof(fc.nat(0xa0), fc.nat(0xffff)).map((code) => String.fromCharCode(code));
    const text = fc.string({ unit });
    for (const format of ["text", "json"] as const) {
      const logger = consoleLogger({ format });
      assert.equal(written(() => logger.info("m", { circular, unreadable, symbol: Symbol("s") })).length, 1);
      fc.assert(
        fc.property(text, fc.dictionary(text, fc.anything()), (message, fields) => {
          const [[, line] = [], ...others] = written(() => logger.warn(message, fields));
          assert.deepEqual(others, []);
          // oxlint-disable-next-line no-control-regex -- they are what must not be there
          assert.doesNotMatch(String(line), /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        }),
        { numRuns: 50 },
      );
    }
  });

  /** The names of the fields that a reader finds in a text line. Its words may be JSON strings. */
  const namesIn = (line: string): readonly string[] =>
    (line.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g) ?? []).flatMap((word) => {
      const [, name] = /^("(?:[^"\\]|\\.)*"|[^"=]+)=/.exec(word) ?? [];
      return name ?? [];
    });

  test("never lets a message, a name or a value look like a field", () => {
    const forging = ["x admin=true", "x\nGET / 200 1us", 'x" admin="true', "admin=true", "\u202eeurt=nimda", "\\"];
    const lines = forging.flatMap((text) =>
      written(() => {
        const logger = consoleLogger();
        logger.info(text);
        logger.info("m", { [text]: 1 });
        logger.info("m", { name: text, last: 1 });
        logger.info("m", { name: Symbol(text), last: 1 });
        logger.info("m", { name: { inner: [text] }, last: 1 });
        logger.info('the "m', { name: text });
      }),
    );
    const fields = lines.map(([, line]) => namesIn(String(line)));
    assert.deepEqual(
      fields,
      forging.flatMap((text) => {
        const own = /[\s"=]/.test(text) ? JSON.stringify(text).replaceAll("\u202e", "\\u202e") : text;
        return [[], [own], ["name", "last"], ["name", "last"], ["name", "last"], ["name"]];
      }),
    );
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    for (const [, line] of lines) assert.doesNotMatch(String(line), /[\u0000-\u001f\u202e]/);
  });
});

describe("pinoLogger", () => {
  test("passes fields and message to pino, and an error as err", () => {
    const lines: Record<string, unknown>[] = [];
    const logger = pinoLogger(
      pino(
        { level: "debug", base: null },
        { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
      ),
    );
    logger.debug?.("d", { a: 1 });
    logger.info?.("i");
    logger.warn("w", { error: new Error("kept") });
    logger.error("e", new Error("boom"), { b: 2 });
    logger.error("plain");
    assert.deepEqual(
      lines.map(({ time, err, ...rest }) => [typeof time, (err as Error | undefined)?.message, rest]),
      [
        ["number", undefined, { level: 20, a: 1, msg: "d" }],
        ["number", undefined, { level: 30, msg: "i" }],
        ["number", "kept", { level: 40, msg: "w" }],
        ["number", "boom", { level: 50, b: 2, msg: "e" }],
        ["number", undefined, { level: 50, msg: "plain" }],
      ],
    );
  });

  test("passes no error when there is none", () => {
    const seen: unknown[] = [];
    const note = (fields: object, message: string): void => void seen.push([message, fields]);
    const logger = pinoLogger({ debug: note, info: note, warn: note, error: note });
    logger.info?.("i");
    logger.warn("w", { a: 1, error: undefined });
    logger.error("e", undefined, { b: 2 });
    assert.deepEqual(seen, [
      ["i", {}],
      ["w", { a: 1 }],
      ["e", { b: 2 }],
    ]);
  });
});

describe("safeLogger", () => {
  test("calls a logger's methods on it, and the console's for missing ones", () => {
    class Lines {
      readonly seen: unknown[] = [];
      warn(line: string, fields?: LogFields): void {
        this.seen.push([line, fields]);
      }
    }
    const lines = new Lines();
    const logger = safeLogger(lines);
    const others = written(() => {
      logger.debug("dropped");
      logger.info("i");
      logger.warn("w", { a: 1 });
      logger.error("e", "thrown");
    });
    assert.deepEqual(
      [lines.seen, others],
      [
        [["w", { a: 1 }]],
        [
          ["info", "i"],
          ["error", "e", "thrown"],
        ],
      ],
    );
  });

  test("is the console's without a logger, except for debug", () => {
    const lines = written(() => {
      const logger = safeLogger();
      for (const level of ["debug", "info", "warn", "error"] as const) logger[level](level);
    });
    assert.deepEqual(lines, [
      ["info", "info"],
      ["warn", "warn"],
      ["error", "error"],
    ]);
  });

  test("passes all arguments on for every level", () => {
    const seen: unknown[] = [];
    const note =
      (level: string) =>
      (...args: unknown[]): void =>
        void seen.push([level, ...args]);
    const given = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
    const others = written(() => {
      const logger = safeLogger(given);
      for (const level of ["debug", "info", "warn"] as const) logger[level]("line", { a: level });
      logger.error("line", "thrown", { a: 1 });
    });
    assert.deepEqual(
      [seen, others],
      [
        [
          ["debug", "line", { a: "debug" }],
          ["info", "line", { a: "info" }],
          ["warn", "line", { a: "warn" }],
          ["error", "line", "thrown", { a: 1 }],
        ],
        [],
      ],
    );
  });

  test("passes no undefined argument at the end, and none at all to the console", () => {
    const seen: unknown[] = [];
    const note = (...args: unknown[]): void => void seen.push(args);
    const logger = safeLogger({ warn: note, error: note });
    logger.warn("w", undefined);
    logger.error("e", undefined, undefined);
    logger.error("e", undefined, { a: 1 });
    const printed = written(() => {
      const direct = safeLogger(console);
      direct.debug("d", undefined);
      direct.warn("w");
      direct.error("e", undefined, { a: 1 });
    });
    assert.deepEqual(
      [seen, printed],
      [
        [["w"], ["e"], ["e", undefined, { a: 1 }]],
        [
          ["debug", "d"],
          ["warn", "w"],
          ["error", "e", { a: 1 }],
        ],
      ],
    );
  });

  test("survives a logger that throws or rejects", async () => {
    const throws = (): never => assert.fail("throws");
    const rejects = (): Promise<void> => Promise.reject(new Error("rejects"));
    for (const fails of [throws, rejects]) {
      const broken: Logger = { debug: fails, info: fails, warn: fails, error: fails };
      const logger = safeLogger(broken);
      for (const level of ["debug", "info", "warn", "error"] as const) logger[level]("line");
      await new Promise((resolve) => setImmediate(resolve)); // An unhandled rejection would end this test.
    }
  });
});
