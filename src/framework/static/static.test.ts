/** Files of a folder: which are sent, and to which requests (STATIC). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import express from "express";
import { created, until, wire } from "../testing/harness.testkit.ts";
import { EtagMiddleware, CompressionMiddleware, type Framework } from "../index.ts";
import { statsOf } from "./file.ts";
import { StaticMiddleware, type StaticOptions } from "./index.ts";
import { changedAt, fixture, openBelow, script, SECRET, type Fixture } from "./fixture.testkit.ts";

let files: Fixture;
before(() => {
  files = fixture();
});
after(() => files.remove());

const lastModified = changedAt.toUTCString();

/** A client of an app that serves the folder. */
function served(options: Partial<StaticOptions> = {}, define: (app: Framework) => unknown = () => undefined) {
  const { app, errors } = created();
  define(app);
  app.use(new StaticMiddleware({ root: files.root, ...options }));
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const response = await app.fetch(new Request(`http://h${path}`, { method, headers }));
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      text: bytes.toString(),
      bytes,
      header: (name: string) => response.headers.get(name),
    };
  };
  return { app, ask, errors };
}

const tagOf = async (path: string, options?: Partial<StaticOptions>): Promise<string> =>
  (await served(options).ask(path)).header("etag") ?? "";

describe("StaticMiddleware", () => {
  test("COND-020: reports which condition decided about a file, and the value it was compared with", async () => {
    const heard: unknown[] = [];
    const { ask } = served({}, (app) => app.observe({ annotation: (_ctx, name, value) => heard.push([name, value]) }));
    const etag = (await ask("/app.js")).header("etag") ?? "";
    assert.equal((await ask("/app.js", { "If-None-Match": etag })).status, 304);
    assert.deepEqual(heard, [
      ["conditional", { outcome: "notModified", by: "If-None-Match", value: etag, etag, lastModified }],
    ]);
  });

  test("STATIC-001: sends a file with its headers, to GET and HEAD", async () => {
    const { ask } = served();
    for (const method of ["GET", "HEAD"]) {
      const { status, text, header } = await ask("/assets/digits.txt", {}, method);
      const names = ["content-type", "content-length", "last-modified", "accept-ranges", "cache-control"];
      assert.deepEqual([status, text], [200, method === "GET" ? "0123456789" : ""]);
      assert.deepEqual(names.map(header), [
        "text/plain; charset=utf-8",
        "10",
        lastModified,
        "bytes",
        "public, max-age=0",
      ]);
      assert.match(header("etag") ?? "", /^"a-[0-9a-f]+"$/);
    }
    const types: Record<string, string | null> = {};
    for (const path of [
      "/app.js",
      "/assets/logo-a1b2c3d4.svg",
      "/large.bin",
      "/assets/noext",
      "/docs/%C3%A4%20%C3%B6%25.txt",
    ])
      types[path] = (await ask(path)).header("content-type");
    assert.deepEqual(types, {
      "/app.js": "text/javascript; charset=utf-8",
      "/assets/logo-a1b2c3d4.svg": "image/svg+xml",
      "/large.bin": "application/octet-stream",
      "/assets/noext": "application/octet-stream",
      "/docs/%C3%A4%20%C3%B6%25.txt": "text/plain; charset=utf-8",
    });
    assert.deepEqual([(await ask("/assets/empty.txt")).status, (await ask("/assets/empty.txt")).text], [200, ""]);
    assert.equal((await ask("/large.bin")).bytes.length, 1_048_576);
  });

  test("STATIC-001: leaves routes, other methods and other paths to the app", async () => {
    const { ask } = served({ prefix: "/assets" }, (app) => app.get("/assets/digits.txt", () => "a route"));
    assert.equal((await ask("/assets/digits.txt")).text, "a route");
    assert.equal((await ask("/assets/assets/digits.txt")).text, "0123456789");
    const statuses = [];
    for (const [method, path] of [
      ["POST", "/assets/app.js"],
      ["GET", "/app.js"],
      ["GET", "/assetsapp.js"],
      ["GET", "/assets/none"],
    ])
      statuses.push((await ask(path ?? "", {}, method)).status);
    assert.deepEqual(statuses, [404, 404, 404, 404]);
  });

  test("STATIC-001: in a group serves requests that no route of the group handles", async () => {
    const { app } = created({ contextPath: "/shop" });
    app.group("/files", (group) => {
      group.use(new StaticMiddleware({ root: files.root, prefix: "/files" })).get("/list", () => "list");
    });
    const seen = [];
    for (const path of ["/shop/files/app.js", "/shop/files/list", "/shop/app.js"])
      seen.push((await app.fetch(new Request(`http://h${path}`))).status);
    assert.deepEqual(seen, [200, 200, 404]);
  });

  test("STATIC-001: accepts a prefix with several segments, and one with a trailing slash", async () => {
    for (const prefix of ["/files/of/mine", "/files/"]) {
      const { ask } = served({ prefix });
      assert.equal((await ask(`${prefix.replace(/\/$/, "")}/app.js`)).text, script, prefix);
    }
  });

  test("sets the prefix as the route of a file and of a redirect", async () => {
    const routes: unknown[] = [];
    const { ask } = served({ prefix: "/assets" }, (app) =>
      app.use(async (ctx, next) => {
        await next();
        routes.push(ctx.route);
      }),
    );
    for (const path of ["/assets/app.js", "/assets/docs", "/assets/docs/"]) await ask(path);
    assert.deepEqual(routes, Array(3).fill("/assets/*file"));
  });

  test("STATIC-002: an impossible file name is not a file", async () => {
    const { ask } = served();
    for (const path of [`/${"a".repeat(300)}`, "/app.js/a"]) assert.equal((await ask(path)).status, 404, path);
  });

  test("STATIC-003: a name with a leading dot is not a file", async () => {
    const { ask } = served();
    for (const path of ["/.env", "/.git/config", "/assets/.hidden", "/%2eenv", "/env.txt", "/.git/"]) {
      const { status, text } = await ask(path);
      assert.deepEqual([status, text.includes(SECRET)], [404, false], path);
    }
  });

  test("STATIC-004: a link out of the root is not a file, unless configured", async () => {
    const { ask } = served({ precompressed: true });
    const statuses: Record<string, number> = {};
    for (const path of ["/link.txt", "/up/secret.txt", "/up/", "/up/public/app.js", "/inside/digits.txt", "/loop"])
      statuses[path] = (await ask(path)).status;
    assert.deepEqual(statuses, {
      "/link.txt": 404,
      "/up/secret.txt": 404,
      "/up/": 404,
      "/up/public/app.js": 200,
      "/inside/digits.txt": 200,
      "/loop": 404,
    });
    const following = served({ followLinks: true });
    assert.equal((await following.ask("/link.txt")).text, SECRET);
    const hidden = await following.ask("/env.txt", { Range: "bytes=0-2" });
    assert.deepEqual([hidden.status, hidden.text], [206, SECRET.slice(0, 3)]);
    const coded = await served({ followLinks: true, precompressed: true }).ask("/docs/", { "Accept-Encoding": "br" });
    assert.deepEqual([coded.text, coded.header("content-encoding")], [SECRET, "br"]);
    // A compressed file next to the plain one must not be a link out either.
    const folder = await ask("/docs/", { "Accept-Encoding": "br" });
    assert.deepEqual([folder.text, folder.header("content-encoding")], ["<h1>docs</h1>", null]);
  });

  test("STATIC-001: a link has the media type of its own name", async () => {
    const { ask } = served({ precompressed: true });
    for (const path of ["/assets/named.json", "/assets/large.json"])
      assert.equal((await ask(path)).header("content-type"), "application/json; charset=utf-8", path);
  });

  test("a special file is not a file", async () => {
    execFileSync("mkfifo", [join(files.root, "pipe")]);
    const { ask } = served();
    assert.equal((await ask("/pipe")).status, 404);
  });

  test("STATIC-005: sends the requested part", async () => {
    const { ask } = served();
    const ranges: Record<string, readonly unknown[]> = {
      "bytes=0-0": [206, "0", "bytes 0-0/10"],
      "bytes=2-4": [206, "234", "bytes 2-4/10"],
      "bytes=7-": [206, "789", "bytes 7-9/10"],
      "bytes=-3": [206, "789", "bytes 7-9/10"],
      "bytes=-99": [206, "0123456789", "bytes 0-9/10"],
      "bytes=5-99": [206, "56789", "bytes 5-9/10"],
      "BYTES=1-1": [206, "1", "bytes 1-1/10"],
    };
    for (const [range, expected] of Object.entries(ranges)) {
      const { status, text, header } = await ask("/assets/digits.txt", { Range: range });
      assert.deepEqual([status, text, header("content-range")], expected, range);
      assert.equal(header("content-length"), String(text.length));
    }
    for (const range of ["bytes=10-", "bytes=99-100", "bytes=-0", "bytes=99999999999999999999-"]) {
      const { status, header, text } = await ask("/assets/digits.txt", { Range: range });
      assert.deepEqual([status, header("content-range")], [416, "bytes */10"], range);
      assert.deepEqual(
        [header("content-type"), JSON.parse(text)],
        [
          "application/problem+json",
          {
            type: "about:blank",
            title: "Range Not Satisfiable",
            status: 416,
            detail: "the file has 10 bytes, and none of the range",
          },
        ],
      );
    }
    const large = await ask("/large.bin", { Range: "bytes=16-31" });
    assert.equal(large.text, "0123456789abcdef");
  });

  test("STATIC-006: ignores several ranges, and an invalid one", async () => {
    const { ask } = served();
    const ignored = [
      "bytes=0-1,3-4",
      "bytes=",
      "bytes=-",
      "bytes=a-b",
      "bytes=4-2",
      "lines=0-1",
      "bytes 0-1",
      "bytes=1.5-2",
      "xbytes=0-1",
      "bytes=0-1x",
    ];
    for (const range of ignored) {
      const { status, text } = await ask("/assets/digits.txt", { Range: range });
      assert.deepEqual([status, text], [200, "0123456789"], range);
    }
    const head = await ask("/assets/digits.txt", { Range: "bytes=0-1" }, "HEAD");
    assert.deepEqual([head.status, head.header("content-length")], [200, "10"]);
  });

  test("STATIC-007: evaluates conditions with the file's own tag and date", async () => {
    const { ask } = served();
    const tag = await tagOf("/app.js");
    const asks: readonly (readonly [Record<string, string>, number])[] = [
      [{ "If-None-Match": tag }, 304],
      [{ "If-None-Match": `"x", W/${tag}` }, 304],
      [{ "If-None-Match": '"x"' }, 200],
      [{ "If-Modified-Since": lastModified }, 304],
      [{ "If-None-Match": '"x"', "If-Modified-Since": lastModified }, 200],
      [{ "If-Match": tag }, 200],
      [{ "If-Match": '"x"' }, 412],
      [{ "If-Unmodified-Since": "Tue, 24 Nov 2026 09:00:00 GMT" }, 412],
      [{ Range: "bytes=0-3", "If-Range": tag }, 206],
      [{ Range: "bytes=0-3", "If-Range": lastModified }, 206],
      [{ Range: "bytes=0-3", "If-Range": `W/${tag}` }, 200],
      [{ Range: "bytes=0-3", "If-Range": '"x"' }, 200],
      [{ Range: "bytes=99999-", "If-None-Match": tag }, 304],
    ];
    for (const [headers, expected] of asks)
      assert.equal((await ask("/app.js", headers)).status, expected, JSON.stringify(headers));
    const { detail } = JSON.parse((await ask("/app.js", { "If-Match": '"x"' })).text) as { detail: string };
    assert.equal(detail, "the file is not in the state that the request asks for");
    const known = await ask("/app.js", { "If-None-Match": tag });
    assert.deepEqual(
      [known.text, known.header("etag"), known.header("content-type"), known.header("cache-control")],
      ["", tag, null, "public, max-age=0"],
    );
    // The middleware for all responses has nothing to add.
    const both = served({}, (app) => app.use(new EtagMiddleware()));
    assert.equal((await both.ask("/app.js", { "If-None-Match": tag })).status, 304);
    assert.equal((await both.ask("/app.js", { Range: "bytes=0-3", "If-None-Match": '"x"' })).status, 206);
  });

  const becoming =
    (text: string, time = changedAt) =>
    (path: string) => {
      writeFileSync(path, text);
      utimesSync(path, time, time);
    };

  /** Requests a part of a file of ten digits, which is replaced after the evaluation of its conditions. */
  async function changing(
    change: (path: string) => void,
    headersOf: (tag: string) => Record<string, string> = () => ({}),
  ): Promise<readonly unknown[]> {
    const path = join(files.root, "changing.txt");
    becoming("0123456789")(path);
    const headers = { ...headersOf(await tagOf("/changing.txt")), "If-None-Match": '"x"' };
    let isChanged = false;
    const { ask, errors } = served({}, (app) =>
      app.observe({
        annotation: () => {
          if (!isChanged) change(path);
          isChanged = true;
        },
      }),
    );
    try {
      const { status, text, header } = await ask("/changing.txt", headers);
      if (status >= 400) {
        assert.equal(header("content-type"), "application/problem+json");
        return [status, errors.length, header("content-range")];
      }
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
        assert.equal(header("etag"), await tagOf("/changing.txt"));
      return [status, text, header("content-range")];
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  }

  test("STATIC-005, STATIC-007: sends no part of a file that replaced the one its conditions were checked for", async () => {
    const range = (): Record<string, string> => ({ Range: "bytes=8-" });
    const ofThat = (tag: string): Record<string, string> => ({ Range: "bytes=8-", "If-Range": tag });
    const nothing = (): void => undefined;
    assert.deepEqual(await changing(nothing, range), [206, "89", "bytes 8-9/10"]);
    assert.deepEqual(await changing(nothing, ofThat), [206, "89", "bytes 8-9/10"]);
    assert.deepEqual(await changing(becoming("abcdefghij", new Date(0)), range), [206, "ij", "bytes 8-9/10"]);
    assert.deepEqual(await changing(becoming("abcdefghij", new Date(0)), ofThat), [200, "abcdefghij", null]);
    assert.deepEqual(await changing(becoming("abcdefghijkl"), range), [206, "ijkl", "bytes 8-11/12"]);
    assert.deepEqual(await changing(becoming("abc"), ofThat), [200, "abc", null]);
    assert.deepEqual(await changing(becoming("abc"), range), [416, 0, "bytes */3"]);
  });

  test("STATIC-007: sends no future date as a file's change time", async () => {
    const path = join(files.root, "assets/digits.txt");
    const inTen = new Date(Date.now() + 600_000);
    try {
      utimesSync(path, inTen, inTen);
      const { header, status } = await served().ask("/assets/digits.txt", { "If-Modified-Since": inTen.toUTCString() });
      assert.equal(status, 304);
      const { header: now } = await served().ask("/assets/digits.txt");
      assert.ok(Date.parse(now("last-modified") ?? "") <= Date.now(), String(now("last-modified")));
      assert.equal(header("etag"), now("etag"));
    } finally {
      utimesSync(path, changedAt, changedAt);
    }
  });

  test("STATIC-005: sends a part for any change time of its file", async () => {
    const path = join(files.root, "assets/digits.txt");
    try {
      for (const fraction of ["000000001", "123456789", "123999999", "999999999"]) {
        execFileSync("touch", ["-d", `2026-11-24T10:00:00.${fraction}Z`, path]);
        const { status, text } = await served().ask("/assets/digits.txt", { Range: "bytes=1-2" });
        assert.deepEqual([status, text], [206, "12"], fraction);
      }
    } finally {
      utimesSync(path, changedAt, changedAt);
    }
  });

  test("STATIC-004: a file that is removed, or becomes a folder or outside link, after opening is sent as it was", async () => {
    const become: Readonly<Record<string, (path: string) => void>> = {
      nothing: () => undefined,
      "a folder": mkdirSync,
      "a link": (path) => symlinkSync(join(files.home, "secret.txt"), path),
    };
    for (const [what, make] of Object.entries(become)) {
      const change = (path: string): void => {
        rmSync(path);
        make(path);
      };
      assert.deepEqual(await changing(change), [200, "0123456789", null], what);
      const part = await changing(change, () => ({ Range: "bytes=1-2" }));
      assert.deepEqual(part, [206, "12", "bytes 1-2/10"], what);
    }
  });

  test("STATIC-002: an unreadable file is treated as missing, for any size", async () => {
    const { seteuid, geteuid } = process;
    const home = mkdtempSync(join(tmpdir(), "static-"));
    const { app, errors } = created();
    app.use(new StaticMiddleware({ root: home }));
    const asRoot = geteuid?.() === 0; // root may read everything.
    try {
      chmodSync(home, 0o755);
      for (const [name, size] of [
        ["small", 10],
        ["large", 100_000],
      ] as const)
        writeFileSync(join(home, name), Buffer.alloc(size), { mode: 0 });
      if (asRoot) seteuid?.(65_534);
      for (const [path, init] of [
        ["/small", {}],
        ["/large", {}],
        ["/large", { method: "HEAD" }],
        ["/small", { headers: { Range: "bytes=0-1" } }],
      ] as const)
        assert.equal((await app.fetch(new Request(`http://h${path}`, init))).status, 404, JSON.stringify([path, init]));
      assert.deepEqual(errors, []);
    } finally {
      if (asRoot) seteuid?.(0);
      rmSync(home, { recursive: true });
    }
  });

  test("an error of the system is a fault, unless the file is missing", async () => {
    assert.equal(await statsOf(join(files.root, "none")), undefined);
    await assert.rejects(statsOf("a\0b"), { code: "ERR_INVALID_ARG_VALUE" });
  });

  test("STATIC-016: passes 404, 412 and 416 to error handlers, on GET and HEAD", async () => {
    const { ask, errors } = served({ precompressed: true }, (app) => {
      for (const status of [404, 412, 416] as const)
        app.onStatus(status, (ctx) => void ctx.setHeader("X-Rendered", "yes").text(`${status} rendered`));
    });
    const asks = [
      ["/none.txt", {}],
      ["/app.js", { "If-Match": '"x"' }],
      ["/assets/digits.txt", { Range: "bytes=10-" }],
    ] as const;
    const seen = [];
    for (const [path, headers] of asks) {
      const { status, text, header } = await ask(path, headers);
      seen.push([status, text, header("content-type"), header("x-rendered"), header("content-range"), header("vary")]);
    }
    const type = "text/plain; charset=utf-8";
    assert.deepEqual(seen, [
      [404, "404 rendered", type, "yes", null, null],
      [412, "412 rendered", type, "yes", null, "Accept-Encoding"],
      [416, "416 rendered", type, "yes", "bytes */10", "Accept-Encoding"],
    ]);
    const head = await ask("/app.js", { "If-Match": '"x"' }, "HEAD");
    assert.deepEqual([head.status, head.text, head.header("x-rendered"), errors], [412, "", "yes", []]);
  });

  test("STATIC-017: sends the Vary of the fallback, also when it is not sent", async () => {
    const { ask } = served({ fallback: "index.html" });
    const [api, file] = [await ask("/orders/7", { Accept: "application/json" }), await ask("/app.js")];
    assert.deepEqual([api.status, api.header("vary")], [404, "Accept, Sec-Fetch-Mode"]);
    assert.deepEqual([file.status, file.header("vary")], [200, null]);
  });

  test("STATIC-008 STATIC-019: sends the precompressed file to clients that accept it", async () => {
    const { ask } = served({ precompressed: true });
    const encodings = ["br, gzip", "gzip", "br;q=0.1, gzip", "zstd", "zstd, gzip;q=0.5", "identity"];
    const seen = [];
    for (const accept of encodings) {
      const { header, bytes } = await ask("/app.js", { "Accept-Encoding": accept });
      const coding = header("content-encoding");
      const text = coding === "br" ? brotliDecompressSync(bytes) : coding === "gzip" ? gunzipSync(bytes) : bytes;
      assert.deepEqual(
        [text.toString(), header("content-type"), header("vary")],
        [script, "text/javascript; charset=utf-8", "Accept-Encoding"],
      );
      seen.push(coding);
    }
    assert.deepEqual(seen, ["br", "gzip", "gzip", null, "gzip", null]);
    const [br, gzip] = [
      await ask("/app.js", { "Accept-Encoding": "br" }),
      await ask("/app.js", { "Accept-Encoding": "gzip" }),
    ];
    assert.notEqual(br.header("etag"), gzip.header("etag"));
    const tag = br.header("etag") ?? "";
    const again = await ask("/app.js", { "Accept-Encoding": "br", "If-None-Match": tag });
    assert.deepEqual([again.status, again.header("vary")], [304, "Accept-Encoding"]);
    assert.equal((await ask("/app.js", { "Accept-Encoding": "gzip", "If-None-Match": tag })).status, 200);
    const none = await ask("/app.js", { "Accept-Encoding": "identity;q=0, *;q=0" });
    assert.deepEqual([none.status, none.header("content-encoding"), none.text], [200, null, script]);
    const part = await ask("/app.js", { "Accept-Encoding": "br", Range: "bytes=1-3" });
    assert.deepEqual(
      [part.status, part.header("content-encoding"), part.bytes, part.header("etag")],
      [206, "br", br.bytes.subarray(1, 4), br.header("etag")],
    );
    // There is no precompressed file, and the compression middleware does not code twice.
    const plain = await ask("/assets/digits.txt", { "Accept-Encoding": "br" });
    assert.deepEqual([plain.header("content-encoding"), plain.header("vary")], [null, "Accept-Encoding"]);
    const zstd = await ask("/assets/digits.txt", { "Accept-Encoding": "br, zstd;q=0.5" });
    assert.deepEqual([zstd.header("content-encoding"), zstd.text], ["zstd", "the same in zstd"]);
    const both = served({ precompressed: ["gzip"] }, (app) => app.use(new CompressionMiddleware()));
    const coded = await both.ask("/app.js", { "Accept-Encoding": "br, gzip" });
    assert.deepEqual([coded.header("content-encoding"), gunzipSync(coded.bytes).toString()], ["gzip", script]);
  });

  test("STATIC-009: sends the fallback to page navigations", async () => {
    const { ask } = served({ fallback: "index.html" }, (app) => app.get("/api/{id}", () => "api"));
    const page = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const found = await ask("/orders/7", page);
    assert.deepEqual(
      [found.status, found.text, found.header("cache-control"), found.header("vary")],
      [200, "<h1>home</h1>", "no-cache", "Accept, Sec-Fetch-Mode"],
    );
    const headOf = await ask("/orders/7", page, "HEAD");
    assert.deepEqual(
      [headOf.status, headOf.text, headOf.header("content-length"), headOf.header("vary")],
      [200, "", "13", "Accept, Sec-Fetch-Mode"],
    );
    const others: readonly (readonly [string, Record<string, string>, string?])[] = [
      ["/orders/7", { Accept: "application/json" }],
      ["/orders/7", { Accept: "*/*" }],
      ["/orders/7", { Accept: "application/x-text/html" }],
      ["/orders/7", { Accept: "text/html5" }],
      ["/orders/7", {}],
      ["/none.png", page],
      ["/orders/7", { ...page, "Sec-Fetch-Mode": "cors" }],
      ["/orders/7", page, "POST"],
      ["/.env", page],
    ];
    for (const [path, headers, method] of others)
      assert.equal((await ask(path, headers, method)).status, 404, `${path} ${JSON.stringify(headers)}`);
    assert.equal((await ask("/page.v2", { ...page, "Sec-Fetch-Mode": "navigate" })).text, "<h1>home</h1>");
    // A path that cannot be a file name is still a page, but not with a leading dot.
    for (const path of ["/tags/c%2Fc", "/tags/a%5Cb", "/tags//b", "/tags/a%252Fb", "//tags", "/tags/b//"]) {
      const odd = await ask(path, page);
      assert.deepEqual([odd.text, odd.header("vary")], ["<h1>home</h1>", "Accept, Sec-Fetch-Mode"], path);
      const other = await ask(path, { Accept: "application/json" });
      assert.deepEqual([other.status, other.header("vary")], [404, "Accept, Sec-Fetch-Mode"], path);
      assert.equal((await served().ask(path, page)).status, 404, path);
    }
    const hidden = ["/.git/config", "/a/.git/config", "/a%2F.git/config", "/a%5C.git/config", "/a%252F.git/config"];
    for (const path of hidden) assert.equal((await ask(path, page)).status, 404, path);
    const below = served({ fallback: "index.html", prefix: "/app" });
    for (const [path, status] of [
      ["/app/a%2Fb", 200],
      ["/application//b", 404],
      ["//app/b", 404],
    ] as const)
      assert.equal((await below.ask(path, page)).status, status, path);
    for (const Accept of ["application/xml, text/html;q=0.9", "TEXT/HTML"])
      assert.equal((await ask("/orders/7", { Accept })).text, "<h1>home</h1>", Accept);
    assert.equal((await served({ fallback: "index.html", index: false }).ask("/", page)).text, "<h1>home</h1>");
    assert.equal((await served({ fallback: "docs" }).ask("/orders/7/", page)).text, "<h1>docs</h1>");
    assert.equal((await served({ fallback: "none.html" }).ask("/orders/7", page)).status, 404);
    assert.equal((await ask("/api/7", page)).text, "api");
    assert.equal((await ask("/app.js", page)).text, script);
  });

  test("STATIC-010 STATIC-020: sends a folder's index file, after its slash", async () => {
    const { ask } = served();
    const folder = await ask("/docs?a=1&b=%20");
    assert.deepEqual([folder.status, folder.header("location")], [301, "/docs/?a=1&b=%20"]);
    assert.deepEqual([(await ask("/docs/")).text, (await ask("/")).text], ["<h1>docs</h1>", "<h1>home</h1>"]);
    const statuses = [];
    for (const path of [
      "/bare",
      "/bare/",
      "/app.js/",
      "/odd/er",
      "/odd/er/",
      "/odd/er/index.html/",
      "/docs/index.html",
    ])
      statuses.push((await ask(path)).status);
    assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404, 200]);
    const away = { index: "away.html" }; // A link out of the root is not an index file, unless configured.
    assert.deepEqual([(await served(away).ask("/bare")).status, (await served(away).ask("/bare/")).status], [404, 404]);
    assert.equal((await served({ ...away, followLinks: true }).ask("/bare")).status, 301);
    const none = served({ index: false });
    assert.deepEqual([(await none.ask("/docs/")).status, (await none.ask("/docs")).status], [404, 404]);
    // No path turns it into a redirect to another host.
    for (const path of ["//docs", "//evil.example/docs", "/\\docs", "/%2fdocs"]) {
      const { status, header } = await ask(path);
      assert.deepEqual([status, header("location")], [404, null], path);
    }
  });

  test("STATIC-010 STATIC-020: treats the root as a folder, with the prefix or the context path as its path", async () => {
    const { ask } = served({ prefix: "/files" });
    const { status, header } = await ask("/files?a=1");
    assert.deepEqual([status, header("location")], [301, "/files/?a=1"]);
    assert.equal((await ask("/files/")).text, "<h1>home</h1>");
    const { app } = created({ contextPath: "/shop" });
    app.use(new StaticMiddleware({ root: files.root }));
    const get = async (path: string): Promise<readonly unknown[]> => {
      const response = await app.fetch(new Request(`http://h${path}`));
      return [response.status, response.headers.get("location")];
    };
    assert.deepEqual(
      [await get("/shop"), await get("/shop/"), await get("/shop/docs")],
      [
        [301, "/shop/"],
        [200, null],
        [301, "/shop/docs/"],
      ],
    );
  });

  test("STATIC-010 STATIC-020: redirects to the folder's own path also for a target in absolute form", async () => {
    const { app } = served();
    await app.start(0);
    try {
      const home = wire(app.port, "GET http://h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
      await until(() => home.text().endsWith("<h1>home</h1>"));
      for (const target of ["http://h/docs?a=1", "HTTPS://h:8080/docs?a=1"]) {
        const client = wire(app.port, `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
        await until(() => client.text().includes("\r\n\r\n"));
        assert.match(client.text(), /^HTTP\/1\.1 301 [^]*^location: \/docs\/\?a=1\r$/im, target);
        client.socket.destroy();
      }
    } finally {
      await app.stop({ graceMs: 0 });
    }
  });

  test("STATIC-010: redirects to the folder's own path under a host's mount", async () => {
    const { app } = served();
    const host = express().use("/shop", app.listener());
    const server = createServer((req, res) => {
      if (req.url?.startsWith("//evil.example") === true) Object.assign(req, { originalUrl: req.url, url: "/docs" });
      return "originalUrl" in req ? app.listener()(req, res) : host(req, res);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      for (const [path, to] of [
        ["/shop/docs?a=1", "/shop/docs/?a=1"],
        ["/shop", "/shop/"],
        ["//evil.example/docs", "/evil.example/docs/"],
      ]) {
        const client = wire(port, `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
        await until(() => client.text().includes("\r\n\r\n"));
        assert.equal(/^HTTP\/1\.1 301 [^]*^location: (.*)\r$/im.exec(client.text())?.[1], to, path);
        client.socket.destroy();
      }
    } finally {
      server.close();
    }
  });

  test("STATIC-011: lets clients cache content-hashed files for a year", async () => {
    const { ask } = served({ maxAge: 60, immutable: /^\/assets\/.*-[\w-]{8}\.\w+$/ });
    const seen = [];
    for (const path of ["/assets/logo-a1b2c3d4.svg", "/assets/digits.txt"])
      seen.push((await ask(path)).header("cache-control"));
    assert.deepEqual(seen, ["public, max-age=31536000, immutable", "public, max-age=60"]);
    const global = served({ immutable: /logo/g });
    for (let n = 0; n < 2; n += 1)
      assert.match((await global.ask("/assets/logo-a1b2c3d4.svg")).header("cache-control") ?? "", /immutable/);
  });

  test("closes a file when its client leaves, and when it is not read", async () => {
    const { app, ask } = served();
    await app.start(0);
    const open = (): number => openBelow(files.root).length;
    try {
      const head = "GET /large.bin HTTP/1.1\r\nHost: h\r\n\r\n";
      const clients = Array.from({ length: 8 }, () => wire(app.port, head));
      for (const { socket } of clients) socket.once("data", () => socket.pause());
      await until(() => clients.every(({ text }) => text().includes("200 OK")));
      await until(() => open() > 0);
      for (const { socket } of clients) socket.destroy();
      await until(() => open() === 0);
      for (const headers of [{ "If-None-Match": "*" }, { Range: "bytes=9999999-" }, { "If-Match": '"x"' }] as Record<
        string,
        string
      >[])
        await ask("/large.bin", headers);
      await ask("/large.bin", {}, "HEAD");
      await until(() => open() === 0);
    } finally {
      await app.stop({ graceMs: 0 });
    }
  });

  test("rejects invalid options", () => {
    const wrong: Readonly<Record<string, unknown>> = {
      [`root is "${files.root}/none"; the path of a folder that exists is allowed`]: { root: join(files.root, "none") },
      [`root is "${files.root}/app.js"; the path of a folder that exists is allowed`]: {
        root: join(files.root, "app.js"),
      },
      'root is ""; the path of a folder that exists is allowed': { root: "" },
      "root is undefined; the path of a folder that exists is allowed": {},
      'prefix is "/a//b"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "/a//b" },
      'prefix is ["/a"]; a literal path such as "/assets" is allowed': { root: files.root, prefix: ["/a"] },
      'index is "a/b"; the name of a file, or false, is allowed': { root: files.root, index: "a/b" },
      "index is true; the name of a file, or false, is allowed": { root: files.root, index: true },
      "maxAge is -1; a whole number of seconds from 0 is allowed": { root: files.root, maxAge: -1 },
      'precompressed is "br"; true, false or a list of "br", "zstd", "gzip" is allowed': {
        root: files.root,
        precompressed: "br",
      },
      'prefix is "/a?b"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "/a?b" },
      'prefix is "/a%20b"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "/a%20b" },
      'prefix is "x/a"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "x/a" },
      'prefix is "assets"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "assets" },
      'prefix is "/{x}"; a literal path such as "/assets" is allowed': { root: files.root, prefix: "/{x}" },
      "maxAge is 1.5; a whole number of seconds from 0 is allowed": { root: files.root, maxAge: 1.5 },
      'index is "../x"; the name of a file, or false, is allowed': { root: files.root, index: "../x" },
      'fallback is ".env"; the name of a file in the root is allowed': { root: files.root, fallback: ".env" },
      'immutable is "x"; a RegExp is allowed': { root: files.root, immutable: "x" },
      'followLinks is "false"; a boolean is allowed': { root: files.root, followLinks: "false" },
      'precompressed is ["deflate"]; true, false or a list of "br", "zstd", "gzip" is allowed': {
        root: files.root,
        precompressed: ["deflate"],
      },
    };
    for (const [sentence, options] of Object.entries(wrong))
      assert.throws(() => new StaticMiddleware(options as StaticOptions), {
        code: "CONFIG_INVALID",
        message: `StaticMiddleware: ${sentence}`,
      });
    assert.throws(() => new StaticMiddleware({ root: files.root, dotfiles: "allow" } as StaticOptions), {
      code: "CONFIG_INVALID",
      message:
        "StaticMiddleware has no option dotfiles: root, prefix, index, maxAge, immutable, precompressed, fallback, followLinks can be set",
    });
  });
});
