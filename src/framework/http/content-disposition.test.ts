/** The name of a download. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework } from "../index.ts";
import { attachment } from "./content-disposition.ts";

const names: Readonly<Record<string, string>> = {
  "report.pdf": 'attachment; filename="report.pdf"',
  "two words.txt": 'attachment; filename="two words.txt"',
  "Übersicht.pdf": "attachment; filename=\"?bersicht.pdf\"; filename*=UTF-8''%C3%9Cbersicht.pdf",
  "日本 (1)'*.txt": "attachment; filename=\"?? (1)'*.txt\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29%27%2A.txt",
  "100%.txt": "attachment; filename=\"100%.txt\"; filename*=UTF-8''100%25.txt",
  "a%2e%2e.txt": "attachment; filename=\"a%2e%2e.txt\"; filename*=UTF-8''a%252e%252e.txt",
  'say "hi".txt': String.raw`attachment; filename="say \"hi\".txt"`,
  'a"; filename="evil.exe': String.raw`attachment; filename="a\"; filename=\"evil.exe"`,
  "/etc/passwd": 'attachment; filename="passwd"',
  "..\\..\\boot.ini": 'attachment; filename="boot.ini"',
  "a\r\nSet-Cookie: x=1.txt": 'attachment; filename="aSet-Cookie: x=1.txt"',
  "nul\0byte.txt": 'attachment; filename="nulbyte.txt"',
  "half \ud800 pair.txt": 'attachment; filename="half  pair.txt"',
};

describe("attachment", () => {
  test("STATIC-013 STATIC-021: gives the name to every client and nothing else", () => {
    assert.deepEqual(Object.fromEntries(Object.keys(names).map((name) => [name, attachment(name)])), names);
  });

  test("rejects an invalid name", () => {
    for (const name of ["", ".", "..", "a/", "a/..", "\r\n", undefined as unknown as string])
      assert.throws(() => attachment(name), {
        name: "TypeError",
        code: "RESPONSE_VALUE",
        message: `ctx.download() got ${JSON.stringify(name)} for a name: that of a file is allowed, such as "report.pdf"`,
      });
  });
});

describe("ctx.download", () => {
  test("sends bytes and streams under a name", async () => {
    async function* rows(): AsyncGenerator<string> {
      yield "a,";
      yield "b";
    }
    const csv = ["text/csv", 'attachment; filename="a.csv"', "a,b"];
    const app = Framework.create()
      .get("/bytes", (ctx) => ctx.download(Buffer.from("a,b"), "a.csv").setHeader("Content-Type", "text/csv"))
      .get("/rows", (ctx) => ctx.setHeader("Content-Type", "text/csv").download(rows(), "a.csv"));
    for (const path of ["/bytes", "/rows"]) {
      const response = await app.fetch(new Request(`http://h${path}`));
      const { headers } = response;
      const seen = [headers.get("content-type"), headers.get("content-disposition"), await response.text()];
      assert.deepEqual(seen, csv);
    }
  });

  test("records nothing when the name is invalid", async () => {
    const app = Framework.create({ logger: { error: () => undefined } }).get("/", (ctx) =>
      ctx.download(Buffer.from("x"), ".."),
    );
    const response = await app.fetch(new Request("http://h/"));
    assert.deepEqual([response.status, response.headers.get("content-disposition")], [500, null]);
  });
});
