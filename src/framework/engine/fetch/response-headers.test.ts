/** The form in which a web `Response` gets its headers (ENGINE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type * as ResponseHeaders from "./response-headers.ts";

let copies = 0;

/** A fresh copy of the module with an empty cache. */
const copied = async (): Promise<typeof ResponseHeaders> =>
  (await import(new URL(`response-headers.js?copy=${(copies += 1)}`, import.meta.url).href)) as typeof ResponseHeaders;

describe("headersOf", () => {
  test("caches the headers of a lone Content-Type, up to 64 of them", async () => {
    const { headersOf } = await copied();
    const types = Array.from({ length: 70 }, (_, n) => ["Content-Type", `text/n${n}`]);
    const [first, again] = [types.map(headersOf), types.map(headersOf)];
    const isRemembered = first.map((headers, at) => headers === again[at]);
    assert.deepEqual(isRemembered, [...Array(64).fill(true), ...Array(6).fill(false)]);
    assert.deepEqual([...new Headers(again.at(-1))], [["content-type", "text/n69"]]);
  });

  test("is an object when every name is unique, and pairs otherwise", async () => {
    const { headersOf } = await copied();
    assert.deepEqual(headersOf(["Content-Type", "text/a", "Vary", "x"]), { "Content-Type": "text/a", Vary: "x" });
    assert.deepEqual(headersOf(["A", "1", "B", "2", "A", "3"]), [
      ["A", "1"],
      ["B", "2"],
      ["A", "3"],
    ]);
    assert.deepEqual(headersOf([]), {});
  });
});
