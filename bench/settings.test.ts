import { deepEqual, equal, throws } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../test/environment.ts";
import { comparisonOf, settingsOf, shapeOf } from "./settings.ts";

describe("settingsOf", () => {
  it("runs on this Node, in full, with the usual peers", () => {
    const { fast, peers, node, versions } = settingsOf({});
    deepEqual([fast, peers, node, versions.node], [false, "usual", process.execPath, process.versions.node]);
  });

  it("is brief with FAST=1", () => {
    const settings = settingsOf({ FAST: "1" });
    const { runs, rounds, warming } = shapeOf(settings, { runs: 10, rounds: 4, warming: { measuredMs: 1, rounds: 9 } });
    deepEqual([settings.fast, runs, rounds, warming.rounds], [true, 1, 1, 0]);
  });

  it("measures the core by default, only the named part, and all parts in a brief run", () => {
    const measured = [{}, { PART: "essentials" }, { FAST: "1" }].map((env) => settingsOf(env).measured);
    deepEqual(measured, [["core"], ["essentials"], ["core", "contracts", "essentials"]]);
  });

  it("looks for the only measurement in all parts", () => {
    const { only, measured } = settingsOf({ ONLY: "tls" });
    deepEqual([only, measured], ["tls", ["core", "contracts", "essentials"]]);
  });

  it("uses this Node for its own major version", () => {
    equal(settingsOf({ NODE: process.versions.node.split(".")[0] }).node, process.execPath);
  });

  const rejected = {
    'FAST is "yes": 1 or nothing': { FAST: "yes" },
    'PEERS is "some": "usual" or "all"': { PEERS: "some" },
    'PART is "half": core, contracts, essentials is allowed': { PART: "half" },
    "NODE is 3: no such Node under conformance/runtimes, which make runtimes fills with 22, 24 and 26; or set NODE_BINARY":
      { NODE: "3" },
    "NODE_BINARY is /nowhere: there is no such file": { NODE_BINARY: "/nowhere" },
  };
  for (const [message, env] of Object.entries(rejected))
    it(`rejects: ${message}`, () => {
      throws(() => settingsOf(env), { message });
    });
});

describe("fromEnvironment", () => {
  it("prints the rejected value in one line, and exits with 2", () => {
    const env = { ...process.env, NODE_BINARY: "/nowhere" };
    const entry = join(root, ".build", "bench", "micro.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [entry], { env, encoding: "utf8" });
    deepEqual([status, stdout, stderr], [2, "", "NODE_BINARY is /nowhere: there is no such file\n"]);
  });
});

describe("comparisonOf", () => {
  it("accepts a commit that git knows, and the percentage by which to slow this tree down", () => {
    deepEqual(comparisonOf({ BASE: "HEAD", SLOWED: "10" }), { ref: "HEAD", slowed: 10 });
  });

  const rejected = {
    "BASE is missing: make bench-compare BASE=<commit, branch or tag>": {},
    "BASE is nowhere: git knows no such commit, branch or tag here": { BASE: "nowhere" },
    "BASE is --all: git knows no such commit, branch or tag here": { BASE: "--all" },
    'SLOWED is "much": per cent, 0 to 999': { BASE: "HEAD", SLOWED: "much" },
  };
  for (const [message, env] of Object.entries(rejected))
    it(`rejects: ${message}`, () => {
      throws(() => comparisonOf(env), { message });
    });
});
