/**
 * Options: what is refused, in which words, and the switch.
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

const wrong: readonly (readonly [options: object, sentence: string])[] = [
  [{ capacity: 0 }, "Devtools option capacity is 0; allowed is a whole number from 1 to 100"],
  [{ capacity: 101 }, "Devtools option capacity is 101; allowed is a whole number from 1 to 100"],
  [{ capacity: "7" }, 'Devtools option capacity is "7"; allowed is a whole number from 1 to 100'],
  [{ limits: { depth: 1.5 } }, "Devtools option limits.depth is 1.5; allowed is a whole number from 1"],
  [{ redact: true }, "Devtools option redact is true; allowed is false, or { keys, values, custom }"],
  [{ allowRemote: "yes" }, 'Devtools option allowRemote is "yes"; allowed is true or false'],
  [{ allowedHosts: "app.test" }, 'Devtools option allowedHosts is "app.test"; allowed is an array of host names'],
  [{ allowedHosts: [7] }, "Devtools option allowedHosts is 7; allowed is an array of host names"],
  [{ slowMs: -1 }, "Devtools option slowMs is -1; allowed is a number of milliseconds from 0"],
  [{ slowMs: Number.NaN }, "Devtools option slowMs is NaN; allowed is a number of milliseconds from 0"],
  [{ ignore: true }, "Devtools option ignore is true; allowed is a function of the context"],
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

describe("readSwitch", () => {
  it("is off by each of the words in any case, on by every other", () => {
    const on = (word: string): boolean => readSwitch({ FRAMEWORK_DEVTOOLS: word }).on;
    assert.deepEqual(["false", "FALSE", "0", "off", " Off ", "no", "NO"].map(on), Array(7).fill(false));
    assert.deepEqual(["", "true", "1", "on", "yes", "never"].map(on), Array(6).fill(true));
  });
});
