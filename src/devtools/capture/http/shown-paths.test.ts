/** Shown paths: which segments of a path are hidden (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KnownSecrets } from "../secrets/known.ts";
import { plainSnapshots } from "../plain-snapshots.testkit.ts";
import { createRedactor } from "../redact.ts";
import { hasParams, ShownPaths } from "./shown-paths.ts";

const patterns = ["/", "/users", "/reset/{token}", "/reset/{token}/mail", "/a/{name}/{pin}", "/files/*accessKey"];

/** The shown form of a path, and the values that are remembered from it. */
function shown(url: string, route?: string): { path: string; secrets: KnownSecrets } {
  const redactor = createRedactor({});
  const secrets = new KnownSecrets();
  const snapshots = plainSnapshots(redactor).within(secrets);
  return { path: new ShownPaths(redactor, snapshots, () => patterns).of(url, route), secrets };
}

const cases: Readonly<Record<string, readonly [url: string, route: string | undefined, path: string]>> = {
  "TRACE-032: a secret parameter": ["/reset/9f8e7d", "/reset/{token}", "/reset/[redacted]"],
  "TRACE-032: the second of two": ["/a/ada/1234", "/a/{name}/{pin}", "/a/ada/[redacted]"],
  "TRACE-032: the rest of a path": ["/files/a/b/c", "/files/*accessKey", "/files/[redacted]"],
  "TRACE-032: one that looks like a secret by itself": ["/a/eyJabcdef.a.b/x", "/a/{name}/x", "/a/[redacted]/x"],
  "TRACE-032: one that looks like a secret once it is decoded": [
    "/a/Bearer%20abcdefgh1/x",
    "/a/{name}/x",
    "/a/[redacted]/x",
  ],
  "TRACE-043: without a route, of a target in absolute form": [
    "http://a.test:80/reset/x1",
    undefined,
    "http://a.test:80/reset/[redacted]",
  ],
  "TRACE-032: no empty one": ["/reset/", "/reset/{token}", "/reset/"],
  "TRACE-032: none where the path ends before it": ["/reset", "/reset/{token}", "/reset"],
  "TRACE-032: one of a target in absolute form": [
    "http://a.test/reset/x1",
    "/reset/{token}",
    "http://a.test/reset/[redacted]",
  ],
  "a secret within the text of a route without parameters": ["/users?token=a", "/users", "/users?token=[redacted]"],
  "TRACE-043: without a route, what stands where a pattern has a secret": ["/reset/x1", undefined, "/reset/[redacted]"],
  "TRACE-043: with more behind it": ["/reset/x1/more", undefined, "/reset/[redacted]/more"],
  "TRACE-043: below a name that is escaped": ["/%72eset/x1", undefined, "/%72eset/[redacted]"],
  "TRACE-043: the rest of a path, without a route": ["/files/a/b", undefined, "/files/[redacted]"],
  "TRACE-043: nothing where no pattern begins as the path does": ["/other/x1", undefined, "/other/x1"],
  "TRACE-043: nothing where the path ends too early": ["/a", undefined, "/a"],
  "no origin that is none": ["1http://reset/x1", undefined, "1http://reset/x1"],
};

describe("ShownPaths.of", () => {
  for (const [what, [url, route, path]] of Object.entries(cases))
    it(`hides ${what}`, () => assert.equal(shown(url, route).path, path));

  it("TRACE-041: remembers what it hid, decoded", () => {
    assert.equal(shown("/reset/a%20secret%20value", "/reset/{token}").secrets.text("- a secret value"), "- [redacted]");
    assert.equal(shown("/files/first-part/b", "/files/*accessKey").secrets.text("- first-part/b"), "- [redacted]");
    assert.equal(shown("/a/ada-lovelace/x", "/a/{name}/{pin}").secrets.text("ada-lovelace"), "ada-lovelace");
  });

  it("asks for the patterns once, when a path has no route", () => {
    let asked = 0;
    const redactor = createRedactor({});
    const snapshots = plainSnapshots(redactor);
    const paths = new ShownPaths(redactor, snapshots, () => {
      asked += 1;
      return patterns;
    });
    paths.of("/users", "/users");
    const before = asked;
    for (const url of ["/reset/a1", "/reset/b1"]) assert.equal(paths.of(url, undefined), "/reset/[redacted]");
    assert.deepEqual([before, asked], [0, 1]);
  });
});

describe("hasParams", () => {
  it("is true for names and for a rest", () => {
    assert.deepEqual(["/a/{b}", "/a/*b", "/a/b", "/"].map(hasParams), [true, true, false, false]);
  });
});
