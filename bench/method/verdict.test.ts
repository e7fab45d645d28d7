import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { judge } from "./verdict.ts";

describe("judge", () => {
  const ratio = { is: "atLeast", target: 0.8, tolerance: 0.02 } as const;
  const micros = { is: "atMost", target: 1.5, tolerance: 0.2 } as const;
  const cases = {
    "a ratio at its target is met": [0.8, ratio, "target"],
    "a ratio within the control's deviation is met": [0.781, ratio, "target"],
    "a ratio below that is short": [0.779, ratio, "short"],
    "whoever takes no more than by hand is met by that": [
      0.75,
      { ...ratio, hand: { more: 0.014, tolerance: 0.015 } },
      "hand-written",
    ],
    "a ratio below both is short": [0.75, { ...ratio, hand: { more: 0.016, tolerance: 0.015 } }, "short"],
    "a better hand does not raise the target": [0.8, { ...ratio, hand: { more: 0.2, tolerance: 0.015 } }, "target"],
    "a cost at its target is met": [1.5, micros, "target"],
    "a cost within the deviation is met": [1.69, micros, "target"],
    "a cost above that is short": [1.71, micros, "short"],
    "a cost no higher than by hand is met by that": [
      2,
      { ...micros, hand: { more: 0.1, tolerance: 0.2 } },
      "hand-written",
    ],
    "what could not be measured is short": [Number.NaN, ratio, "short"],
  } as const;
  for (const [title, [measured, bar, verdict]] of Object.entries(cases))
    it(title, () => {
      equal(judge(measured, bar), verdict);
    });
});
