/**
 * saveFile, toPng: the calls to the browser, with fakes for parts that only a browser has.
 */

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { setGlobals } from "../testing/fake-page.ts";
import { saveFile, toPng } from "./download.ts";

let restore = (): void => undefined;
afterEach(() => restore());

describe("saveFile", () => {
  test("clicks a link to the content, and releases it later", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const clicked: unknown[] = [];
    const revoked: string[] = [];
    let blob: Blob | undefined;
    const link = { href: "", download: "", click: () => clicked.push([link.href, link.download]) };
    const own = { createObjectURL: URL.createObjectURL, revokeObjectURL: URL.revokeObjectURL };
    Object.assign(URL, {
      createObjectURL: (given: Blob) => {
        blob = given;
        return "blob:1";
      },
      revokeObjectURL: (url: string) => revoked.push(url),
    });
    const undo = setGlobals({ document: { createElement: () => link } });
    restore = () => {
      undo();
      Object.assign(URL, own);
    };
    saveFile("run.json", "application/json", "{}");
    assert.deepEqual([clicked, blob?.type, await blob?.text()], [[["blob:1", "run.json"]], "application/json", "{}"]);
    assert.deepEqual(revoked, []);
    t.mock.timers.tick(10_000);
    assert.deepEqual(revoked, ["blob:1"]);
  });
});

describe("toPng", () => {
  /** A browser that draws onto a canvas of any size, or onto none. */
  function browser(works: boolean): { drawn: unknown[]; sources: string[] } {
    const [drawn, sources]: [unknown[], string[]] = [[], []];
    const canvas = {
      width: 0,
      height: 0,
      getContext: () => ({ drawImage: (_: unknown, ...box: number[]) => drawn.push(box) }),
      toBlob: (done: (blob: Blob | null) => void, type: string) => done(works ? new Blob(["png"], { type }) : null),
    };
    class Image {
      set src(source: string) {
        sources.push(source);
      }
      async decode(): Promise<void> {
        await Promise.resolve();
      }
    }
    restore = setGlobals({ Image, document: { createElement: () => canvas } });
    return { drawn, sources };
  }

  test("draws the picture at the requested scale", async () => {
    const { drawn, sources } = browser(true);
    const png = await toPng("<svg/>", 300, 200, 2);
    assert.deepEqual(
      [png.type, drawn, sources],
      ["image/png", [[0, 0, 600, 400]], ["data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E"]],
    );
  });

  test("draws a huge picture as large as browsers can", async () => {
    const { drawn } = browser(true);
    await toPng("<svg/>", 16_384, 1_000, 2);
    assert.deepEqual(drawn, [[0, 0, 8_192, 500]]);
  });

  test("rejects if the browser cannot draw it", async () => {
    browser(false);
    await assert.rejects(toPng("<svg/>", 1, 1, 1), /too large for a PNG/);
  });
});
