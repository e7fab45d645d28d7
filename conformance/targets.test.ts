/** Tests the targets of `make conformance`: choosing them by name, starting and stopping them, and reporting missing ones. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { addressIn, start } from "./started.ts";
import { engines } from "./subject/engines.ts";
import { featuresOf } from "./subject/features.ts";
import { chooseTargets, onRuntimes, onThisNode, type Locate, type Target } from "./targets.ts";

const installed: Locate = (name) => ({ binary: `/opt/${name}` });
const nowhere: Locate = (name) => ({ missing: `${name} is not installed: run \`make runtimes\`` });
const named = (targets: readonly Target[]): readonly string[] => targets.map(({ name }) => name);

const here = ["node-http", "node-http2", "node-http2-tls", "fetch", "express", "fastify", "independent"];
const elsewhere = [
  "node22-http",
  "node22-http2",
  "node24-http",
  "node24-http2",
  "node26-http",
  "node26-http2",
  "bun",
  "bun-serve",
  "deno",
  "deno-serve",
  "workerd",
];

describe("chooseTargets", () => {
  const choices: Readonly<Record<string, readonly [names: readonly string[], chosen: readonly string[]]>> = {
    "what this Node serves when none is named": [[], here],
    "every one for all": [["all"], [...here, ...elsewhere]],
    "every one for all and a name": [
      ["fetch", "all"],
      [...here, ...elsewhere],
    ],
    "those that are named, in the order of the matrix": [
      ["bun", "fetch", "node-http"],
      ["node-http", "fetch", "bun"],
    ],
  };
  for (const [what, [names, chosen]] of Object.entries(choices))
    it(`chooses ${what}`, () => assert.deepEqual(named(chooseTargets(names, installed)), chosen));

  it("rejects unknown names and lists the known ones", () => {
    assert.throws(() => chooseTargets(["node-http", "nope", "node20"], installed), {
      message: `no engine called nope, node20: there are ${[...here, ...elsewhere].join(", ")}, and all of them by "all"`,
    });
  });

  it("keeps what is not installed, with the sentence that says so", () => {
    const missing = chooseTargets(["all"], nowhere).flatMap((target) => target.missing ?? []);
    assert.equal(missing.length, elsewhere.length);
    assert.equal(missing.at(-1), "workerd is not installed: run `make runtimes`");
    assert.deepEqual(
      chooseTargets([], nowhere).filter((target) => target.missing !== undefined),
      [],
    );
  });
});

describe("the targets", () => {
  const every = [...onThisNode, ...onRuntimes(installed)];

  it("cover every engine of the subject and every entry of the table of features", () => {
    const names = named(every);
    assert.deepEqual(
      [...Object.keys(engines), ...Object.keys(featuresOf)].filter((name) => !names.includes(name)),
      [],
    );
  });

  it("start other Nodes with their own binary and an engine of this repository", () => {
    const [target] = chooseTargets(["node24-http2"], installed);
    const { command, engine, http2 } = target ?? {};
    assert.deepEqual([command, engine, http2], ["/opt/node24", "node-http2", true]);
  });

  it("give workerd a configuration for each profile", () => {
    const [target] = chooseTargets(["workerd"], installed);
    const [serve, file, control] = target?.args("cors-query") ?? [];
    assert.deepEqual([serve, file?.split("/").at(-1), control], ["serve", "cors-query.capnp", "--control-fd=1"]);
  });
});

describe("start", () => {
  const node = (script: string): Target => ({
    name: "tried",
    about: "",
    http2: false,
    command: process.execPath,
    args: () => ["-e", script],
  });

  it("waits until the subject prints its address, and stops its process", async () => {
    const { url, stop } = await start(
      node(
        "console.log('listening on http://127.0.0.1:' + (process.env.PROFILE === 'production' ? 80 : 81)); setInterval(() => 0, 999)",
      ),
      "production",
    );
    assert.equal(url.href, "http://127.0.0.1/");
    await stop();
    await stop();
  });

  it("rejects with the output if the subject ends before it listens", async () => {
    await assert.rejects(start(node("console.error('no such engine'); process.exit(3)"), "default"), {
      message: /^the subject \(tried, default\) ended with 3 before it listened: no such engine\n$/,
    });
  });

  it("rejects if there is no such program", async () => {
    await assert.rejects(start({ ...node(""), command: "/nowhere/bun" }, "default"), /ENOENT/);
  });
});

describe("addressIn", () => {
  const printed: Readonly<Record<string, string | undefined>> = {
    "listening on http://127.0.0.1:41\n": "http://127.0.0.1:41/",
    "warning: x\nlistening on https://127.0.0.1:41\n": "https://127.0.0.1:41/",
    '{"event":"listen","socket":"http","port":41}\n': "http://127.0.0.1:41/",
    "listening on http://127.0.0.1:4": undefined,
    "listening soon\n": undefined,
  };
  for (const [text, url] of Object.entries(printed))
    it(`reads ${url ?? "nothing"} from ${JSON.stringify(text)}`, () => assert.equal(addressIn(text)?.href, url));
});

describe("own-targets", () => {
  /** Exit code and output on standard error. */
  async function runOwnTargets(...argv: readonly string[]): Promise<readonly [code: unknown, err: string]> {
    const file = fileURLToPath(new URL("own-targets.js", import.meta.url));
    return new Promise((resolve) => {
      execFile(process.execPath, [file, ...argv], (error, _out, err) => resolve([error?.code ?? 0, err]));
    });
  }

  it("exits 2 on an engine that does not exist, listing those that do", async () => {
    const [code, err] = await runOwnTargets("nope");
    assert.equal(code, 2);
    assert.match(
      err,
      /^conformance: no engine called nope: there are node-http, .*, workerd, and all of them by "all"\n$/,
    );
  });

  it("exits 2 on an option that does not exist", async () => {
    assert.deepEqual(await runOwnTargets("--wirte"), [2, "conformance: --wirte: the only option is --write\n"]);
  });
});
