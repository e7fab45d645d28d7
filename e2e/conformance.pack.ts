/**
 * The conformance suite as another project gets it: a tarball, an empty folder, and a server that shares no code with us.
 *
 *   npx --package ./framework-conformance.tgz conformance --url …     without a clone or a build
 *
 * All of it, including the installation, takes two seconds on an idle machine. A minute is the limit here.
 */
import { expect, test } from "@playwright/test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "./sandbox.ts";

const build = join(import.meta.dirname, "..", ".build");
let sandbox: Sandbox;
let url: string;

test.beforeAll(async () => {
  sandbox = new Sandbox();
  const packed = join(build, "pack");
  const tarball = readdirSync(packed).find((name) => name.startsWith("framework-conformance-")) ?? "";
  cpSync(join(packed, tarball), join(sandbox.folder, "suite.tgz"));
  const server = join(build, "conformance", "subject", "independent.js");
  const program = sandbox.start(sandbox.folder, [process.execPath, server], { PORT: "0" });
  [, url = ""] = await program.prints(/listening on (\S+)/);
});
test.afterAll(() => sandbox.dispose());

const conformance = (...words: readonly string[]): Promise<string> =>
  sandbox.run(sandbox.folder, [
    "npx",
    "--yes",
    "--package",
    join(sandbox.folder, "suite.tgz"),
    "conformance",
    ...words,
  ]);

test("the tarball of the suite runs from an empty folder against another implementation", async () => {
  const begun = performance.now();
  const said = await conformance("--url", url, "--json", "report.json", "ROUTE", "QUERY", "CORS", "CONTRACT", "COOKIE");
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(said).toMatch(/^✓ CORS-001 {5}MUST {3}house {2}A preflight from an allowed origin MUST get 204/m);
  const { conformant, counts } = JSON.parse(readFileSync(join(sandbox.folder, "report.json"), "utf8")) as {
    readonly conformant: boolean;
    readonly counts: Readonly<Record<string, number>>;
  };
  expect({ conformant, kept: (counts["pass"] ?? 0) > 40, broken: counts["fail"] }).toEqual({
    conformant: true,
    kept: true,
    broken: 0,
  });
});

test("it reports the broken clauses, also by its exit code, and runs its data and the profile of QUERY", async () => {
  const vectors = await conformance("--url", url, "--profile", "vectors", "CORS", "HEALTH");
  expect(vectors).toMatch(/^source: MUST \d+ of \d+.*; house: MUST \d+ of \d+/m);
  const query = await conformance("--profile", "query", "--url", `${url}/search`, "--other-body", "[1]");
  expect(query).toMatch(/^✓ keyed-by-content/m);
  await expect(conformance("--profile", "query", "--url", `${url}/users/1`)).rejects.toMatchObject({ code: 1 });
});
