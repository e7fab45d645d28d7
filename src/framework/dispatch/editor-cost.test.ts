/**
 * The editor cost of routes: the compiler's type instantiations for 500 of them, counted by `tsc --extendedDiagnostics`. The
 * number is the same on every machine and grows long before a person notices.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const head = `import { Framework } from "framework";
import { z } from "zod";
const app = Framework.create();
const Item = z.object({ name: z.string(), count: z.number() });
const Params = z.object({ id: z.string() });
`;
const routes = (route: (n: number) => string): string =>
  head + Array.from({ length: 500 }, (_, n) => route(n)).join("\n");

/** Upper limits, a twentieth above the measured values. */
const programs: Readonly<Record<string, readonly [most: number, source: string]>> = {
  "no contract": [15_500, routes((n) => `app.post("/r${n}/{id}", (ctx) => ({ id: ctx.pathParam("id") }));`)],
  "a body": [
    39_000,
    routes(
      (n) =>
        `app.post("/r${n}/{id}", { body: Item }, (ctx) => ({ id: ctx.pathParam("id"), name: ctx.input.body.name }));`,
    ),
  ],
  "a body and a response": [
    56_800,
    routes(
      (n) =>
        `app.post("/r${n}/{id}", { body: Item, responses: { 201: Item } }, (ctx) => ctx.reply(201, ctx.input.body));`,
    ),
  ],
  "three schemas": [
    59_600,
    routes(
      (n) =>
        `app.post("/r${n}/{id}", { params: Params, body: Item, responses: { 201: Item } }, (ctx) => ctx.reply(201, { name: ctx.input.params.id, count: ctx.input.body.count }));`,
    ),
  ],
};

describe("500 routes", () => {
  let folder: string;
  before(async () => {
    await mkdir(join(root, ".build"), { recursive: true });
    folder = await mkdtemp(join(root, ".build", "editor-")); // inside, so that the packages are found
  });
  after(() => rm(folder, { recursive: true }));

  for (const [what, [most, source]] of Object.entries(programs))
    it(`with ${what} cost the compiler at most ${most} instantiations`, async () => {
      const file = join(folder, `${what.replaceAll(" ", "-")}.mts`);
      await writeFile(file, source);
      const options = ["--strict", "--noEmit", "--skipLibCheck", "--exactOptionalPropertyTypes", "--ignoreConfig"];
      const target = ["--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom", "--types", ""];
      const tsc = join(root, "node_modules", ".bin", "tsc");
      const env = { ...process.env, NODE_V8_COVERAGE: "" };
      const { stdout } = await promisify(execFile)(tsc, [...options, ...target, "--extendedDiagnostics", file], {
        env,
      });
      const count = Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]);
      assert.ok(count > 1_000, `tsc counted ${count}:\n${stdout}`);
      assert.ok(count <= most, `${count} instantiations`);
    });
});
