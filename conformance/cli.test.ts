/** Tests the command line as another project uses it. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { requirements } from "../spec/requirements.ts";
import { main } from "./cli.ts";
import { ReportShape, type Report } from "./kit/report-shape.ts";
import { misfit } from "./kit/shape.ts";
import { commitOf } from "./kit/suite.ts";
import { startDead } from "./dead-servers.ts";
import { startIndependent } from "./subject/independent.ts";

/** A subject that responds with errors to everything except the questions about itself. */
const failing: RequestListener = ({ url }, response) => {
  const about = { implementation: "failing", version: "1", engine: "node-http", profile: "default", features: [] };
  const [status, body] = url === "/__subject/about" ? [200, about] : [500, {}];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

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
    "an unknown level": [
      ["--url", "http://127.0.0.1:1", "--level", "ours"],
      /--level ours: source and house are allowed/,
    ],
    "a deadline that is none": [
      ["--url", "http://127.0.0.1:1", "--deadline", "0"],
      /--deadline 0: above 0 and at most/,
    ],
    "a timeout that is none": [["--url", "http://127.0.0.1:1", "--timeout", "soon"], /--timeout soon/],
    "a timeout that no timer has": [
      ["--url", "http://127.0.0.1:1", "--timeout", "3000000000"],
      /--timeout 3000000000: from 1 to 86400000 milliseconds are allowed/,
    ],
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
    assert.deepEqual([code, out], [0, "ROUTE-007   A path that no route matches MUST be rejected with 404."]);
  });

  it("exits 0 on a conformant subject and writes its reports", async () => {
    const { code, out } = await cli(
      "--url",
      subject.url,
      "--json",
      file("r.json"),
      "--junit",
      file("r.xml"),
      "ROUTE-009",
      "ROUTE-006",
    );
    assert.equal(code, 0);
    assert.match(out, /✓ ROUTE-009 {4}MUST {3}source HEAD MUST/);
    assert.match(out, /^source: MUST 1 of 1; house: MUST 1 of 1$/m);
    const report = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as Report;
    assert.equal(misfit(ReportShape, report), undefined);
    assert.deepEqual(report.scores, {
      source: { kept: 1, of: 1, MUST: { kept: 1, of: 1 } },
      house: { kept: 1, of: 1, MUST: { kept: 1, of: 1 } },
    });
    assert.match(readFileSync(join(folder, "r.xml"), "utf8"), /tests="2" failures="0" errors="0" skipped="0"/);
  });

  it("names the suite, its commit, the date and the Node version in each of its reports", async () => {
    const begun = Date.now();
    const files = ["--json", file("r.json"), "--junit", file("r.xml")];
    const { out } = await cli("--url", subject.url, ...files, "ROUTE-007");
    const { suite = assert.fail() } = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as Report;
    const { version } = JSON.parse(readFileSync("conformance/package.json", "utf8")) as { version: string };
    const { date, commit } = suite;
    assert.deepEqual(suite, { version, commit: commitOf("."), date, node: process.versions.node });
    assert.ok(Date.parse(date) >= begun && Date.parse(date) <= Date.now(), date);
    const at = commit === null ? "" : ` at ${commit}`;
    assert.ok(out.includes(`\nsuite ${version}${at}, ${date}, Node ${process.versions.node}\n`), out);
    const properties = Object.entries({ "suite version": version, "suite commit": commit ?? "", node: suite.node });
    const xml = properties.map(([name, value]) => `<property name="${name}" value="${value}"/>`).join("");
    const junit = readFileSync(join(folder, "r.xml"), "utf8");
    assert.ok(junit.includes(` timestamp="${date}">\n<properties>${xml}</properties>\n`), junit);
  });

  it("runs and lists only the clauses of one level", async () => {
    const { code, out } = await cli("--url", subject.url, "--level", "source", "ROUTE", "QUERY");
    assert.deepEqual([code, out.split("\n").filter((line) => /MUST +house/.test(line))], [0, []]);
    assert.match(out, /^source: MUST (\d+) of \1, SHOULD (\d+) of \2$/m);
    assert.doesNotMatch(out, /house:/);
    const [source, house] = [await cli("--list", "--level", "source"), await cli("--list", "--level", "house")];
    const ids = (text: string): readonly string[] => text.split("\n").map((line) => line.split(" ")[0] ?? "");
    assert.deepEqual([...ids(source.out), ...ids(house.out)].toSorted(), Object.keys(requirements).toSorted());
  });

  it("hides what was not run by default", async () => {
    const argv = ["--url", subject.url, "ROUTE-007", "DASH-025"];
    const lines = ({ out }: { readonly out: string }): readonly string[] => out.match(/[A-Z]+-\d{3}/g) ?? [];
    assert.deepEqual(lines(await cli(...argv)), ["ROUTE-007"]);
    assert.deepEqual(lines(await cli(...argv, "--verbose")), ["DASH-025", "ROUTE-007"]);
  });

  it("reports progress, with a line for each chapter", async () => {
    const { err } = await cli("--url", subject.url, "--progress", "ROUTE-006", "ROUTE-007", "QUERY-008");
    assert.deepEqual(err.split("\n"), ["1 of 3: ROUTE", "3 of 3: QUERY"]);
  });

  it("reports progress for each case if a line can replace the previous one", async () => {
    const shown: string[] = [];
    const output = { out: () => {}, err: () => {}, progress: (text: string) => shown.push(text) };
    await main(["--url", subject.url, "ROUTE-006", "ROUTE-007"], output);
    assert.deepEqual(shown, ["1 of 2: ROUTE-006", "2 of 2: ROUTE-007", ""]);
  });

  it("reports an id that is known to fail but passes, so that the list shrinks", async () => {
    writeFileSync(join(folder, "known"), "ROUTE-007 # not yet\n");
    const { code, out } = await cli("--url", subject.url, "--known-failing", file("known"), "ROUTE-007");
    assert.equal(code, 0);
    assert.match(out, /^Listed as known to fail, and kept: ROUTE-007$/m);
  });

  it("names the failed step and exchange of a broken clause", async () => {
    const { url, close } = await startDead(failing);
    try {
      const { code, out } = await cli("--url", url.href, "--junit", file("f.xml"), "ROUTE-003");
      assert.equal(code, 1);
      const told = out.slice(out.indexOf("Not kept:")).split("\n");
      assert.deepEqual(told.slice(2, 6), [
        "    a malformed percent-escape gets 400 [default]",
        "      step 1, GET /users/%zz: the status is 500, expected 400",
        "    ✗ GET /users/%zz → 500 {}",
        `      $ curl -si -A '' -H accept: ${url.origin}/users/%zz`,
      ]);
      const xml = readFileSync(join(folder, "f.xml"), "utf8");
      assert.ok(xml.includes(`GET /users/%zz → 500 {}\n$ curl -si -A '' -H accept: ${url.origin}/users/%zz<`), xml);
    } finally {
      await close();
    }
  });

  it("escapes terminal control characters that a subject sends", async () => {
    const { url, close } = await startDead(({ url: path }, response) => {
      const about = { implementation: "a\u001b[2Jb", version: "1", engine: "e", profile: "default", features: [] };
      response.writeHead(path === "/__subject/about" ? 200 : 500, { "content-type": "application/json" });
      response.end(path === "/__subject/about" ? JSON.stringify(about) : "\u001b]0;owned\u0007\u202e");
    });
    try {
      const { out } = await cli("--url", url.href, "ROUTE-003");
      for (const char of ["\u001b", "\u0007", "\u202e"]) assert.equal(out.includes(char), false);
      assert.match(out, /GET \/users\/%zz → 500 \\u\{1b\}\]0;owned\\u\{7\}\\u\{202e\}/);
      assert.match(out, /^a\\u\{1b\}\[2Jb 1, e, default at/m);
    } finally {
      await close();
    }
  });

  it("names the clauses that fail on one exchange, and exits 0 if all failures are known", async () => {
    const { url, close } = await startDead(failing);
    try {
      const ids = ["ROUTE-007", "ERR-001", "ROUTE-006"];
      const { code, out } = await cli("--url", url.href, ...ids);
      assert.equal(code, 1);
      const shared = out.slice(out.indexOf("Clauses that fail on one exchange:")).split("\n");
      assert.deepEqual(shared.slice(1, 3), ["    GET /… → 500: ERR-001, ROUTE-007", ""]);
      writeFileSync(join(folder, "all"), ids.join("\n"));
      const known = await cli("--url", url.href, "--known-failing", file("all"), ...ids);
      assert.equal(known.code, 0);
      assert.match(known.out, /^✗ ROUTE-006 .* \(known\)$/m);
    } finally {
      await close();
    }
  });

  it("exits 2 when no case can run", async () => {
    assert.equal((await cli("--url", subject.url, "DASH-025")).code, 2);
  });
});
