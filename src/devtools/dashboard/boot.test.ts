/**
 * Boot: the theme of the page before its first paint.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THEME_KEY } from "../run/graph/tokens.ts";
import { FakeDocument, memoryStorage, setGlobals } from "./testing/fake-page.ts";

const script = new URL("./boot.js", import.meta.url).href;
let boots = 0;

/** Runs the script again, as a page load does. */
async function boot(localStorage: Storage | undefined, systemIsDark: boolean): Promise<string | undefined> {
  const document = new FakeDocument();
  const queries: string[] = [];
  const matchMedia = (query: string): { matches: boolean } => ({ matches: queries.push(query) > 0 && systemIsDark });
  const restore = setGlobals({ document, matchMedia, localStorage });
  try {
    boots += 1;
    await import(`${script}?${boots}`);
  } finally {
    restore();
  }
  assert.deepEqual(
    queries.filter((query) => query !== "(prefers-color-scheme: dark)"),
    [],
  );
  return document.documentElement.dataset["theme"];
}

const stored = (text: string): Storage => memoryStorage({ [THEME_KEY]: text });

describe("boot", () => {
  test("takes the stored theme, whatever the system prefers", async () => {
    assert.deepEqual([await boot(stored('"dark"'), false), await boot(stored('"light"'), true)], ["dark", "light"]);
  });

  test("takes the system's theme when none is stored", async () => {
    assert.deepEqual([await boot(memoryStorage(), true), await boot(memoryStorage(), false)], ["dark", "light"]);
  });

  test("takes the system's theme when something else is stored", async () => {
    assert.deepEqual([await boot(stored("{"), true), await boot(stored("7"), false)], ["dark", "light"]);
  });

  test("takes the system's theme when the browser denies storage", async () => {
    assert.deepEqual([await boot(undefined, true), await boot(undefined, false)], ["dark", "light"]);
  });
});
