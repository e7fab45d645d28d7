/**
 * Screen: when colour is used, and how wide lines may be.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { screenOf, type Output } from "./screen.ts";

const terminal: Output = { isTTY: true, columns: 90 };

describe("screenOf", () => {
  const colours: readonly (readonly [string, Output, Record<string, string>, boolean])[] = [
    ["a terminal has colour", terminal, {}, true],
    ["a pipe has none", {}, {}, false],
    ["NO_COLOR takes it away", terminal, { NO_COLOR: "1" }, false],
    ["NO_COLOR takes it away where it is forced too", terminal, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    ["an empty NO_COLOR is none", terminal, { NO_COLOR: "" }, true],
    ["FORCE_COLOR brings it into a pipe", {}, { FORCE_COLOR: "1" }, true],
    ["FORCE_COLOR=0 takes it away", terminal, { FORCE_COLOR: "0" }, false],
    ["a dumb terminal has none", terminal, { TERM: "dumb" }, false],
  ];
  for (const [title, output, env, isColoured] of colours)
    it(title, () => {
      const { paint } = screenOf(output, env);
      assert.equal(paint("bad", "x"), isColoured ? "\u001b[31mx\u001b[0m" : "x");
      assert.equal(paint("bad", ""), "");
    });

  const widths: readonly (readonly [string, Output, Record<string, string>, number | undefined, number])[] = [
    ["a terminal's own", terminal, { COLUMNS: "50" }, undefined, 90],
    ["any in a pipe", {}, {}, undefined, Infinity],
    ["COLUMNS in a pipe", {}, { COLUMNS: "50" }, undefined, 50],
    ["any where COLUMNS is no number", {}, { COLUMNS: "wide" }, undefined, Infinity],
    ["--width above all", terminal, { COLUMNS: "50" }, 70, 70],
  ];
  for (const [title, output, env, width, expected] of widths)
    it(`has the right width: ${title}`, () => assert.equal(screenOf(output, env, width).width, expected));
});
