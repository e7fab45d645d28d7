/** The command line as another project uses it. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { main } from "./cli.ts";
import { ReportShape } from "./kit/report-shape.ts";
import { misfit } from "./kit/shape.ts";
import { startIndependent } from "./subject/independent.ts";

async function cli(...argv: readonly string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main(argv, { out: (text) => lines.push(text), err: (text) => errors.push(text) });
  return { code, out: lines.join("\n"), err: errors.join("\n") };
}

describe("the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const file = (name: string): string => relative(process.cwd(), join(folder, name));
  let subject: Awaited<ReturnType<typeof startIndependent>>;
  before(async () => {
    subject = await startIndependent();
  });
  after(async () => {
    await subject.close();
    rmSync(folder, { recursive: true });
  });

  const rejected: Readonly<Record<string, readonly [argv: readonly string[], sentence: RegExp]>> = {
    "an unreachable subject": [["--url", "http://127.0.0.1:1"], /no subject that the suite can talk to .*ECONNREFUSED/],
    "an unknown id": [["--url", "http://127.0.0.1:1", "HEALTH-999"], /HEALTH-999: no area and no id/],
    "an unknown option": [["--urls", "x"], /Unknown option '--urls'/],
    "a URL that is none": [["--url", "localhost:80"], /no http:\/\/ or https:\/\/ URL/],
    "--insecure without TLS": [["--url", "http://127.0.0.1:1", "--insecure"], /no --url is https:\/\//],
    "no URL": [["HEALTH"], /--url is missing/],
    "a timeout that is none": [["--url", "http://127.0.0.1:1", "--timeout", "soon"], /--timeout soon/],
    "a missing known-failing file": [
      ["--url", "http://127.0.0.1:1", "--known-failing", "nowhere"],
      /nowhere cannot be read/,
    ],
  };
  for (const [what, [argv, sentence]] of Object.entries(rejected)) {
    it(`exits 2 with a sentence on ${what}`, async () => {
      const { code, err } = await cli(...argv);
      assert.equal(code, 2);
      assert.match(err, sentence);
    });
  }

  it("lists ids and sentences without a subject", async () => {
    const { code, out } = await cli("--list", "ROUTE-007");
    assert.deepEqual([code, out], [0, "ROUTE-007   A path that nothing matches MUST be rejected with 404."]);
  });

  it("exits 0 on a conformant subject and writes its reports", async () => {
    const { code, out } = await cli(
      "--url",
      subject.url,
      "--json",
      file("r.json"),
      "--junit",
      file("r.xml"),
      "ROUTE-007",
      "ROUTE-009",
    );
    assert.equal(code, 0);
    assert.match(out, /✓ ROUTE-007 {3}MUST/);
    assert.match(out, /2 requirements: 2 pass/);
    assert.equal(misfit(ReportShape, JSON.parse(readFileSync(join(folder, "r.json"), "utf8"))), undefined);
    assert.match(readFileSync(join(folder, "r.xml"), "utf8"), /tests="2" failures="0" errors="0" skipped="0"/);
  });

  it("exits 1 when an id that is known to fail passes, and 0 when it is not listed", async () => {
    writeFileSync(join(folder, "known"), "ROUTE-007 # not yet\n");
    const { code } = await cli("--url", subject.url, "--known-failing", file("known"), "ROUTE-007");
    assert.equal(code, 1);
  });

  it("exits 2 when no case can run", async () => {
    assert.equal((await cli("--url", subject.url, "ROUTE-011")).code, 2);
  });
});
