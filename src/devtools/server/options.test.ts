/**
 * Options: what is rejected, in which words, and the switch.
 */
import assert from "node:assert/strict";
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
const wrong: readonly (readonly [options: object, sentence: string])[] = [
  [{ capacity: 0 }, "Devtools option capacity is 0; allowed is a whole number from 1 to 100"],
  [{ capacity: 101 }, "Devtools option capacity is 101; allowed is a whole number from 1 to 100"],
  [{ capacity: "7" }, 'Devtools option capacity is "7"; allowed is a whole number from 1 to 100'],
  [{ limits: { depth: 1.5 } }, "Devtools option limits.depth is 1.5; allowed is a whole number from 1"],
  [{ redact: true }, "Devtools option redact is true; allowed is false, or { keys, values, custom }"],
  [{ allowRemote: "yes" }, 'Devtools option allowRemote is "yes"; allowed is true or false'],
  [{ allowedHosts: "app.test" }, 'Devtools option allowedHosts is "app.test"; allowed is an array of host names'],
  [{ allowedHosts: [7] }, "Devtools option allowedHosts is 7; allowed is an array of host names"],
  [{ name: " " }, 'Devtools option name is " "; allowed is a text'],
  [{ slowMs: -1 }, "Devtools option slowMs is -1; allowed is a number of milliseconds from 0"],
  [{ slowMs: Number.NaN }, "Devtools option slowMs is NaN; allowed is a number of milliseconds from 0"],
  [{ ignore: true }, "Devtools option ignore is true; allowed is a function of the context"],
  [{ stacks: "no" }, 'Devtools option stacks is "no"; allowed is true or false'],
  [{ editor: "emacs" }, `Devtools option editor is "emacs"; allowed is ${editors}`],
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
    it(`DEV-024: an option that is not allowed is named with what is: ${sentence}`, () => {
      assert.equal(sentenceFor(options), sentence);
    });

  it("DEV-024: a limit that there is none of is named with those that there are", () => {
    const sentence = sentenceFor({ limits: { deepness: 3 } });
    assert.match(sentence, /^Devtools option limits\.deepness is 3; allowed is one of stringChars, depth, items, /);
  });

  it("takes what is allowed, and the hosts of the environment after those of the option", () => {
    const settings = readOptions(
      { capacity: 1, slowMs: 0, allowedHosts: ["a"] },
      { FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS: "b, c" },
    );
    assert.deepEqual([settings.capacity, settings.slowMs, settings.allowedHosts], [1, 0, ["a", "b", "c"]]);
  });
});

describe("the editor", () => {
  const of = (editor: string | false | undefined): string | undefined => readOptions({ editor }, {}).editor;

  it("is Visual Studio Code by default, one of those known, a template, or none", () => {
    assert.deepEqual(
      [of(undefined), of("zed"), of("my://{file}"), of(false)],
      ["vscode://file/{file}:{line}:{column}", "zed://file/{file}:{line}:{column}", "my://{file}", undefined],
    );
  });
});

describe("readSwitch", () => {
  it("is off by each of the words in any case, on by those that say so", () => {
    const on = (word: string): boolean => readSwitch({ FRAMEWORK_DEVTOOLS: word }).on;
    assert.deepEqual(["false", "FALSE", "0", "off", " Off ", "no", "NO"].map(on), Array(7).fill(false));
    assert.deepEqual(["", "true", "1", "on", "YES"].map(on), Array(5).fill(true));
  });

  it("DEV-036: is off by a word that it does not know, and names it and those it knows", () => {
    for (const word of ["never", "flase", "disabled", "2"])
      assert.deepEqual(readSwitch({ FRAMEWORK_DEVTOOLS: word }), {
        on: false,
        warning: `devtools are off because FRAMEWORK_DEVTOOLS is "${word}": true, 1, on, yes leave them on, false, 0, off, no turn them off`,
      });
  });

  it("DEV-021: is off in production, however that is written, unless FRAMEWORK_DEVTOOLS is true", () => {
    for (const name of ["production", "Production", "PRODUCTION", "prod", "Prod", " production "]) {
      const { on, warning } = readSwitch({ NODE_ENV: name, FRAMEWORK_DEVTOOLS: "1" });
      assert.deepEqual(
        [on, warning?.startsWith(`devtools are off because NODE_ENV is ${name.trim()}: `)],
        [false, true],
      );
      assert.equal(readSwitch({ NODE_ENV: name, FRAMEWORK_DEVTOOLS: "true" }).on, true);
    }
    for (const name of ["", "development", "test", "productive"]) assert.equal(readSwitch({ NODE_ENV: name }).on, true);
  });
});

describe("the token", () => {
  const of = (token: unknown, word?: string): boolean | string =>
    readOptions({ token } as DevtoolsOptions<never>, { FRAMEWORK_DEVTOOLS_TOKEN: word }).token;
  const long = "sixteen-or-more.~_characters";

  it("DEV-024: is what the option says, else what the environment says, else not asked for", () => {
    assert.deepEqual(
      [of(undefined), of(true), of(false, long), of(long), of(undefined, long)],
      [false, true, false, long, long],
    );
    assert.deepEqual(
      [of(undefined, "true"), of(undefined, "1"), of(undefined, "off"), of(undefined, " ")],
      [true, true, false, false],
    );
  });

  it("DEV-024: is not shown when it is none", () => {
    for (const wrong of ["short", "spaces are not allowed", "x".repeat(257)]) {
      assert.throws(
        () => of(wrong),
        new RegExp(`token is a text of ${wrong.length} characters; allowed is true, false`),
      );
      assert.throws(() => of(undefined, wrong), /FRAMEWORK_DEVTOOLS_TOKEN is a text of/);
    }
    assert.throws(() => of(7), /token is 7; allowed/);
  });
});
