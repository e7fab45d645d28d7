/**
 * saveGraph: the picture of what is shown, under a name that says so; and a sentence when it cannot be drawn.
 */

import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { memoryStorage, setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";

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
  location: { pathname: "/framework/dev", hash: "" },
  matchMedia: () => ({ matches: false }),
  localStorage: memoryStorage(),
  sessionStorage: memoryStorage(),
});
after(() => {
  restore();
  Object.assign(URL, own);
});
const { store } = await import("../store/browser.ts");
const { saveGraph } = await import("./export.ts");

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

beforeEach(() => {
  saved.length = 0;
  decodes = true;
  store.live.value = graphOf({ Web: ["Db"], Db: [] });
  store.routes.value = [{ method: "GET", path: "/x/{id}", pathParams: ["id"], beans: ["Web"] }];
  store.routeId.value = null;
  store.traceId.value = null;
  store.notice.value = null;
});

describe("saveGraph", () => {
  test("saves the beans when nothing is selected", async () => {
    saveGraph("svg");
    assert.deepEqual([saved[0]?.name, saved[0]?.blob?.type], ["graph-beans.svg", "image/svg+xml"]);
    const text = (await saved[0]?.blob?.text()) ?? "";
    assert.match(text, /<title>Beans<\/title>/);
    assert.doesNotMatch(text, /GET/);
  });

  test("saves the path of the selected run", async () => {
    const run = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Db")]);
    store.traces.value = [run];
    store.selectTrace(run);
    saveGraph("svg");
    assert.equal(saved[0]?.name, "graph-GET-x-id.svg");
    const text = (await saved[0].blob?.text()) ?? "";
    assert.equal(text.match(/stroke-width="3.4"/g)?.length, 2);
    assert.equal(text.match(/>1×<\/text>/g)?.length, 2);
  });

  test("saves the same as PNG", async () => {
    saveGraph("png");
    await settled();
    assert.deepEqual([saved[0]?.name, saved[0]?.blob?.type], ["graph-beans.png", "image/png"]);
  });

  test("says why the browser could not draw it", async () => {
    decodes = false;
    saveGraph("png");
    await settled();
    assert.deepEqual([saved, store.notice.value], [[], "The source image cannot be decoded."]);
  });
});
