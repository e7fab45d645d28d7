import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { isWarm } from "./slice.ts";

describe("isWarm", () => {
  const cases = {
    "nobody is before there was a window to compare with": [[9, 9, 9, 9, 9], false],
    "whoever is as cheap as before is": [[90, 10, 12, 11, 10, 9.5, 30], true],
    "whoever has just become cheaper is not": [[90, 40, 12, 11, 10, 9.5, 30], false],
  } as const;
  for (const [title, [cpuUs, expected]] of Object.entries(cases))
    it(title, () => {
      equal(isWarm(cpuUs), expected);
    });
});
