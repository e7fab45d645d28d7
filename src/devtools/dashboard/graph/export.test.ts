/**
 * saveGraph: the picture of what is shown, under a name that says so.
 */

import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import type { Trace } from "../../wire.ts";
import { selectionSlice } from "../store/selection.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";
import { stage } from "../testing/stage.ts";
import { saveGraph } from "./export.ts";
import { drawingOf } from "./picture.ts";
import type { Drawing } from "./svg.ts";

const saved: { name: string; blob: Blob | undefined }[] = [];
let blob: Blob | undefined;
let decodes = true;
const link = { href: "", download: "", click: () => saved.push({ name: link.download, blob }) };
const canvas = {
  width: 0,
  height: 0,
  getContext: () => null,
  toBlob: (done: (png: Blob | null) => void) => done(new Blob(["png"], { type: "image/png" })),
};
class Image {
  src = "";
  async decode(): Promise<void> {
    if (!decodes) throw new Error("The source image cannot be decoded.");
    await Promise.resolve();
  }
}
const own = { createObjectURL: URL.createObjectURL, revokeObjectURL: URL.revokeObjectURL };
Object.assign(URL, {
  createObjectURL: (given: Blob) => {
    blob = given;
    return "blob:1";
  },
  revokeObjectURL: () => undefined,
});
const restore = setGlobals({
  Image,
  document: { createElement: (name: string) => (name === "a" ? link : canvas), documentElement: { dataset: {} } },
  // Every token is its own colour.
  getComputedStyle: () => ({ getPropertyValue: (token: string) => token.slice(2) }),
});
after(() => {
  restore();
  Object.assign(URL, own);
});

/** The drawing of a fresh page, with a run selected if there is one. */
async function drawing(run?: Trace): Promise<Drawing> {
  const { use } = await stage({ graph: graphOf({ Web: ["Db"], Db: [] }), traces: run === undefined ? [] : [run] });
  if (run !== undefined) use(selectionSlice).selectTrace(run);
  return drawingOf(use);
}

beforeEach(() => {
  saved.length = 0;
  decodes = true;
});

describe("saveGraph", () => {
  test("saves the beans when nothing is selected", async () => {
    await saveGraph(await drawing(), "svg");
    assert.deepEqual([saved[0]?.name, saved[0]?.blob?.type], ["graph-beans.svg", "image/svg+xml"]);
    const text = (await saved[0]?.blob?.text()) ?? "";
    assert.match(text, /<title>Beans<\/title>/);
    assert.match(text, / fill="canvas"\/>/);
    assert.doesNotMatch(text, /GET/);
  });

  test("saves the path of the selected run", async () => {
    await saveGraph(await drawing(traceOf([callOf(0, null, "Web"), callOf(1, 0, "Db")])), "svg");
    assert.equal(saved[0]?.name, "graph-GET-x-id.svg");
    const text = (await saved[0].blob?.text()) ?? "";
    assert.equal(text.match(/stroke="m-get" stroke-width="3.4"/g)?.length, 2);
    assert.equal(text.match(/>1×<\/text>/g)?.length, 2);
  });

  test("saves the same as PNG", async () => {
    await saveGraph(await drawing(), "png");
    assert.deepEqual([saved[0]?.name, saved[0]?.blob?.type], ["graph-beans.png", "image/png"]);
  });

  test("says why the browser could not draw it", async () => {
    decodes = false;
    await assert.rejects(saveGraph(await drawing(), "png"), { message: "The source image cannot be decoded." });
    assert.deepEqual(saved, []);
  });
});
