/**
 * Options: what is rejected, with which message, and the switch.
 */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { readOptions, readSwitch, type DevtoolsOptions } from "./options.ts";

const sentenceFor = (options: unknown): string => {
  try {
    readOptions(options as DevtoolsOptions<never>, {});
    return "";
  } catch (error) {
    return error instanceof RangeError ? error.message : String(error);
  }
};

const editors =
  "vscode, cursor, idea, webstorm, zed, a template like myeditor://open?file={file}&line={line}, or false";
const history = "true, false, the name of a file, or { file, runs, bytes }";
const pairs = "pairs of a class and a function";
class Money {
  readonly amount = 1;
}
const map = "function Map() { [native code] }";
const bound = "function () { [native code] }";
const nameless = Object.defineProperty(Map.bind(undefined), "name", { value: "" });
const noPrototype = Object.defineProperty(Map.bind(undefined), "prototype", { value: null });

const names =
  "name, capacity, redact, limits, allowedHosts, allowRemote, token, history, slowMs, ignore, stacks, editor, leaves, otlp, channels, console, snapshot, revive";

const wrong: readonly (readonly [options: object, sentence: string])[] = [
  [{ capacity: 0 }, "Devtools option capacity is 0; allowed is a whole number from 1 to 100"],
  [{ capacity: 101 }, "Devtools option capacity is 101; allowed is a whole number from 1 to 100"],
  [{ capacity: "7" }, 'Devtools option capacity is "7"; allowed is a whole number from 1 to 100'],
  [{ limits: { depth: 1.5 } }, "Devtools option limits.depth is 1.5; allowed is a whole number from 1"],
  [{ redact: true }, "Devtools option redact is true; allowed is false, or { keys, values, custom }"],
  [{ allowRemote: "yes" }, 'Devtools option allowRemote is "yes"; allowed is true or false'],
  [{ allowedHosts: "app.test" }, 'Devtools option allowedHosts is "app.test"; allowed is an array of host names'],
  [{ allowedHosts: [7] }, "Devtools option allowedHosts is 7; allowed is an array of host names"],
  [{ allowedHosts: ["a", 7] }, "Devtools option allowedHosts is a,7; allowed is an array of host names"],
  [{ redact: null }, "Devtools option redact is null; allowed is false, or { keys, values, custom }"],
  [{ redact: "all" }, 'Devtools option redact is "all"; allowed is false, or { keys, values, custom }'],
  [{ leaves: 0 }, "Devtools option leaves is 0; allowed is true or false"],
  [{ console: "yes" }, 'Devtools option console is "yes"; allowed is true or false'],
  [{ name: 7 }, "Devtools option name is 7; allowed is a text"],
  [{ slowMs: "1" }, 'Devtools option slowMs is "1"; allowed is a number of milliseconds from 0'],
  [{ limits: { depth: 0 } }, "Devtools option limits.depth is 0; allowed is a whole number from 1"],
  [{ history: 7 }, `Devtools option history is 7; allowed is ${history}`],
  [{ history: null }, `Devtools option history is null; allowed is ${history}`],
  [{ history: ["a"] }, `Devtools option history is a; allowed is ${history}`],
  [{ history: " " }, 'Devtools option history is " "; allowed is the name of a file'],
  [{ history: { file: 7 } }, "Devtools option history.file is 7; allowed is the name of a file"],
  [{ history: { file: "a\0b" } }, 'Devtools option history.file is "a\\u0000b"; allowed is the name of a file'],
  [{ history: { runs: 0 } }, "Devtools option history.runs is 0; allowed is a whole number from 1 to 1000000"],
  [
    { history: { runs: 1_000_001 } },
    "Devtools option history.runs is 1000001; allowed is a whole number from 1 to 1000000",
  ],
  [
    { history: { bytes: 1_073_741_825 } },
    "Devtools option history.bytes is 1073741825; allowed is a whole number from 1 to 1073741824",
  ],
  [
    { redcat: { keys: ["iban"] }, capcity: 3 },
    `Devtools has no option redcat: ${names} can be set; did you mean redact?`,
  ],
  [{ capcity: 3 }, `Devtools has no option capcity: ${names} can be set; did you mean capacity?`],
  [{ allowedHost: ["a"] }, `Devtools has no option allowedHost: ${names} can be set; did you mean allowedHosts?`],
  [{ zebra: undefined }, `Devtools has no option zebra: ${names} can be set`],
  [
    { redact: { key: ["iban"] } },
    "Devtools option redact has no option key: keys, values, custom can be set; did you mean keys?",
  ],
  [{ redact: { keys: "iban" } }, 'Devtools option redact.keys is "iban"; allowed is an array of texts and patterns'],
  [{ redact: { values: ["4111"] } }, "Devtools option redact.values is 4111; allowed is an array of patterns"],
  [{ redact: { custom: true } }, "Devtools option redact.custom is true; allowed is a function of a key and its value"],
  [
    { history: { run: 3 } },
    "Devtools option history has no option run: file, runs, bytes can be set; did you mean runs?",
  ],
  [
    { channels: [{ chanel: "a" }] },
    "Devtools option channels[0] has no option chanel: channel, kind, describe can be set; did you mean channel?",
  ],
  [{ revive: "Money" }, `Devtools option revive is "Money"; allowed is an array of ${pairs}`],
  [{ revive: ["Money"] }, `Devtools option revive is "Money"; allowed is ${pairs}`],
  [{ revive: [["Money", () => 1]] }, `Devtools option revive is Money,() => 1; allowed is ${pairs}`],
  [{ revive: [[Map, 1]] }, `Devtools option revive is ${map},1; allowed is ${pairs}`],
  [{ revive: [[nameless, () => 1]] }, `Devtools option revive is ${bound},() => 1; allowed is ${pairs}`],
  [
    {
      revive: [
        [Money, () => 1],
        [Money, () => 2],
      ],
    },
    'Devtools option revive is "Money"; allowed is one pair for each name of a class',
  ],
  [{ channels: "a" }, 'Devtools option channels is "a"; allowed is an array of { channel, kind, describe }'],
  [{ channels: [null] }, "Devtools option channels[0].channel is undefined; allowed is the name of a channel"],
  [{ channels: [{ channel: "" }] }, 'Devtools option channels[0].channel is ""; allowed is the name of a channel'],
  [
    { channels: [{ channel: "a", kind: "x" }] },
    'Devtools option channels[0].kind is "x"; allowed is sql, http, cache, log, message, span',
  ],
  [
    { channels: [{ channel: "a", kind: "sql", describe: 1 }] },
    "Devtools option channels[0].describe is 1; allowed is a function of a message",
  ],
  [{ snapshot: [[null, () => 1]] }, `Devtools option snapshot is ,() => 1; allowed is ${pairs}`],
  [{ snapshot: [[Map]] }, `Devtools option snapshot is ${map}; allowed is ${pairs}`],
  [{ snapshot: [[noPrototype, () => 1]] }, `Devtools option snapshot is ${bound},() => 1; allowed is ${pairs}`],
  [{ name: " " }, 'Devtools option name is " "; allowed is a text'],
  [{ slowMs: -1 }, "Devtools option slowMs is -1; allowed is a number of milliseconds from 0"],
  [{ slowMs: Number.NaN }, "Devtools option slowMs is NaN; allowed is a number of milliseconds from 0"],
  [{ ignore: true }, "Devtools option ignore is true; allowed is a function of the context"],
  [{ stacks: "no" }, 'Devtools option stacks is "no"; allowed is true or false'],
  [{ editor: "emacs" }, `Devtools option editor is "emacs"; allowed is ${editors}`],
  [{ editor: 7 }, `Devtools option editor is 7; allowed is ${editors}`],
  [{ editor: "toString" }, `Devtools option editor is "toString"; allowed is ${editors}`],
  [{ editor: "1my://{file}" }, `Devtools option editor is "1my://{file}"; allowed is ${editors}`],
  [{ editor: "my:{file}" }, `Devtools option editor is "my:{file}"; allowed is ${editors}`],
  ...["JavaScript", "data", "blob", "file", "vbscript", "about", "view-source"].map(
    (scheme) =>
      [
        { editor: `${scheme}://{file}` },
        `Devtools option editor is "${scheme}://{file}"; allowed is ${editors}`,
      ] as const,
  ),
  [{ editor: "my://open" }, `Devtools option editor is "my://open"; allowed is ${editors}`],
  [{ editor: "javascript://{file}" }, `Devtools option editor is "javascript://{file}"; allowed is ${editors}`],
  [
    { editor: 'x://{file}" a="' },
    `Devtools option editor is ${JSON.stringify('x://{file}" a="')}; allowed is ${editors}`,
  ],
  [{ snapshot: ["Money"] }, 'Devtools option snapshot is "Money"; allowed is pairs of a class and a function'],
  [
    { snapshot: [[() => 1, () => 1]] },
    "Devtools option snapshot is () => 1,() => 1; allowed is pairs of a class and a function",
  ],
  [
    { redact: Object.create(null, {}), slowMs: Object.create(null) },
    "Devtools option slowMs is object; allowed is a number of milliseconds from 0",
  ],
];

describe("readOptions", () => {
  for (const [options, sentence] of wrong)
    it(`a bad option is named with what is allowed: ${sentence}`, () => {
      assert.equal(sentenceFor(options), sentence);
    });

  it("an unknown limit is named with the known ones", () => {
    const sentence = sentenceFor({ limits: { deepth: 3 } });
    assert.match(
      sentence,
      /^Devtools option limits has no option deepth: stringChars, depth, .*; did you mean depth\?$/,
    );
  });

  it("rejects a promise that revive returns, and leaves no unhandled rejection", () => {
    const make = (): never => Promise.reject(new Error("nobody waits for it")) as never;
    const { makers } = readOptions({ revive: [[Money, make]] }, {});
    assert.throws(() => makers.get("Money")?.({}), /^TypeError: its revive returned a promise: a value is needed$/);
  });

  it("accepts every allowed value, and puts the environment's hosts after those of the option", () => {
    const settings = readOptions(
      { capacity: 1, slowMs: 0, allowedHosts: ["a"] },
      { FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS: "b, c" },
    );
    assert.deepEqual([settings.capacity, settings.slowMs, settings.allowedHosts], [1, 0, ["a", "b", "c"]]);
    const { name, limits } = readOptions({ name: " shop ", limits: { depth: 1, items: undefined } } as object, {});
    assert.deepEqual(readOptions({}, {}).allowedHosts, []);
    assert.deepEqual([name, limits.depth, limits.items], ["shop", 1, 100]);
  });

  it("every option has its default", () => {
    assert.deepEqual(readOptions({}, { FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS: " , " }), {
      name: undefined,
      capacity: 100,
      redact: {},
      limits: {
        stringChars: 16_384,
        depth: 8,
        items: 100,
        nodes: 5_000,
        snapshotBytes: 262_144,
        callsPerTrace: 500,
        leavesPerTrace: 500,
        traceBytes: 1_048_576,
        ringBytes: 33_554_432,
        streamClients: 16,
        streamBufferBytes: 4_194_304,
      },
      allowedHosts: [],
      allowRemote: false,
      token: false,
      history: undefined,
      slowMs: undefined,
      ignore: undefined,
      stacks: true,
      editor: "vscode://file/{file}:{line}:{column}",
      leaves: true,
      otlp: false,
      channels: [],
      console: undefined,
      forms: new Map(),
      makers: new Map(),
    });
  });

  it("accepts every option at its bound, and a function of the context", () => {
    const ignore = (): boolean => true;
    const given = { allowRemote: true, stacks: false, leaves: false, console: false, redact: false, ignore } as const;
    const settings = readOptions(given, {});
    assert.deepEqual({ ...settings, ...given }, settings);
    assert.equal(readOptions({ console: true, capacity: 100 }, {}).capacity, 100);
  });

  it("accepts channels of every kind unchanged", () => {
    const channels = [{ channel: "shop.sql", kind: "sql" as const, describe: () => ({}) }];
    assert.deepEqual(readOptions({ channels } as DevtoolsOptions<never>, {}).channels, channels);
  });

  it("calls a form with only the value, by its prototype, and a maker with the shown value, by its name", () => {
    const { forms, makers } = readOptions(
      {
        snapshot: [[Money, (...given: unknown[]) => given]],
        revive: [[Money, (...given: unknown[]) => given]],
      } as unknown as DevtoolsOptions<never>,
      {},
    );
    const money = new Money();
    assert.deepEqual(forms.get(Money.prototype)?.(money), [money]);
    assert.deepEqual(makers.get("Money")?.({ amount: 1 }), [{ amount: 1 }]);
  });
});

describe("the history", () => {
  const of = (given: unknown): unknown => readOptions({ history: given } as DevtoolsOptions<never>, {}).history;
  const kept = {
    given: ".framework/runs.jsonl",
    file: resolve(".framework/runs.jsonl"),
    runs: 10_000,
    bytes: 33_554_432,
    runsPerSecond: 25,
  };

  it("is in a file below the working directory by default, or in the named file", () => {
    assert.deepEqual([of(undefined), of(false), of(true), of({})], [undefined, undefined, kept, kept]);
    assert.deepEqual(of("a.jsonl"), { ...kept, given: "a.jsonl", file: resolve("a.jsonl") });
    assert.deepEqual(of({ file: "/tmp/../b", runs: 1_000_000, bytes: 1_073_741_824 }), {
      ...kept,
      given: "/tmp/../b",
      file: "/tmp/../b",
      runs: 1_000_000,
      bytes: 1_073_741_824,
    });
  });
});

describe("the editor", () => {
  const of = (editor: string | false | undefined): string | undefined => readOptions({ editor }, {}).editor;

  it("is Visual Studio Code by default, a known one, a template, or none", () => {
    assert.deepEqual(
      [of(undefined), of("zed"), of("my://{file}"), of(false), of("mydata://{file}")],
      [
        ...["vscode", "zed"].map((name) => `${name}://file/{file}:{line}:{column}`),
        "my://{file}",
        undefined,
        "mydata://{file}",
      ],
    );
  });
});

describe("the address of an editor", () => {
  for (const [editor, template] of Object.entries({
    vscode: "vscode://file/{file}:{line}:{column}",
    cursor: "cursor://file/{file}:{line}:{column}",
    idea: "idea://open?file={file}&line={line}&column={column}",
    webstorm: "webstorm://open?file={file}&line={line}&column={column}",
    zed: "zed://file/{file}:{line}:{column}",
  }))
    it(`of ${editor} is right`, () => assert.equal(readOptions({ editor }, {}).editor, template));
});

describe("readSwitch", () => {
  it("is turned off and on by each of the words, in any case", () => {
    const on = (word: string): boolean => readSwitch({ FRAMEWORK_DEVTOOLS: word }).on;
    assert.deepEqual(["false", "FALSE", "0", "off", " Off ", "no", "NO"].map(on), Array(7).fill(false));
    assert.deepEqual(["", "true", "1", "on", "YES"].map(on), Array(5).fill(true));
    assert.deepEqual(readSwitch({ FRAMEWORK_DEVTOOLS: " Off " }), { on: false, warning: undefined });
  });

  it("is turned off by an unknown word, and names it and the known ones", () => {
    for (const word of ["never", "flase", "disabled", "2"])
      assert.deepEqual(readSwitch({ FRAMEWORK_DEVTOOLS: word }), {
        on: false,
        warning: `devtools are off because FRAMEWORK_DEVTOOLS is "${word}": true, 1, on, yes leave them on, false, 0, off, no turn them off`,
      });
  });

  it("is off in production, in any spelling, unless FRAMEWORK_DEVTOOLS is true", () => {
    for (const name of ["production", "Production", "PRODUCTION", "prod", "Prod", " production "]) {
      const { on, warning } = readSwitch({ NODE_ENV: name, FRAMEWORK_DEVTOOLS: "1" });
      assert.deepEqual(
        [on, warning],
        [
          false,
          `devtools are off because NODE_ENV is ${name.trim()}: FRAMEWORK_DEVTOOLS=true turns them on, which shows the arguments and results of beans`,
        ],
      );
      assert.equal(readSwitch({ NODE_ENV: name, FRAMEWORK_DEVTOOLS: "true" }).on, true);
    }
    for (const name of ["", "development", "test", "productive"])
      assert.deepEqual(readSwitch({ NODE_ENV: name }), { on: true, warning: undefined });
    assert.deepEqual(readSwitch({ NODE_ENV: "prod", FRAMEWORK_DEVTOOLS: "off" }), { on: false, warning: undefined });
    assert.equal(readSwitch({}).on, true);
  });
});

describe("the token", () => {
  const of = (token: unknown, word?: string): boolean | string =>
    readOptions({ token } as DevtoolsOptions<never>, { FRAMEWORK_DEVTOOLS_TOKEN: word }).token;
  const long = "sixteen-or-more.~_characters";

  it("comes from the option, else from the environment, else none is required", () => {
    assert.deepEqual(
      [of(undefined), of(true), of(false, long), of(long), of(undefined, long)],
      [false, true, false, long, long],
    );
    assert.deepEqual(
      [
        of(undefined, "true"),
        of(undefined, "ON"),
        of(undefined, "OFF"),
        of(undefined, " "),
        of(undefined, ` ${long} `),
      ],
      [true, true, false, false, long],
    );
  });

  it("is not printed when it is malformed", () => {
    for (const wrong of ["short", "spaces are not allowed", "x".repeat(257)]) {
      assert.throws(
        () => of(wrong),
        new RegExp(`token is a text of ${wrong.length} characters; allowed is true, false`),
      );
      assert.throws(() => of(undefined, wrong), /FRAMEWORK_DEVTOOLS_TOKEN is a text of/);
    }
    assert.throws(() => of(7), {
      name: "RangeError",
      message:
        "Devtools option token is 7; allowed is true, false, or 16 to 256 letters, digits, dots, hyphens, underscores or tildes",
    });
    assert.throws(() => of(1_234_567_890_123_456), /token is 1234567890123456; allowed/);
  });
});
