/**
 * Deep links: the selection goes into the location, and comes back from it.
 */

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import fc from "fast-check";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { runOf, stage } from "../testing/stage.ts";
import { followLocation, formatLink, linkSlice, parseLink } from "./link.ts";

const page = new EventTarget();
const location = { pathname: "/dev", hash: "" };
const written: string[] = [];
const restore = setGlobals({
  location,
  history: { replaceState: (_state: unknown, _title: string, url: string) => void written.push(url) },
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
});
after(restore);

describe("formatLink", () => {
  test("is the same after parseLink", () => {
    const part = fc.option(fc.string({ minLength: 1, unit: "grapheme" }), { nil: null });
    fc.assert(
      fc.property(fc.record({ route: part, trace: part, bean: part }, { noNullPrototype: true }), (link) =>
        assert.deepEqual(parseLink(formatLink(link)), link),
      ),
    );
  });
});

describe("openLink", () => {
  test("selects the link's target, and says when its run is gone", async () => {
    const { use } = await stage({ traces: [runOf(4)] });
    const { routeId, traceId, bean } = use(selectionSlice);
    const { link, openLink } = use(linkSlice);
    openLink("#trace=i1.4&bean=Repo");
    assert.deepEqual(
      [routeId.value, traceId.value, bean.value, link.value],
      ["GET /x/{id}", "i1.4", "Repo", "#route=GET+%2Fx%2F%7Bid%7D&trace=i1.4&bean=Repo"],
    );
    openLink("#trace=i0.9");
    assert.match(use(panelsSlice).notice.value ?? "", /i0\.9 is no longer kept/);
  });

  test("says when the application does not have the route", async () => {
    const { use } = await stage();
    use(linkSlice).openLink("#route=GET+%2Fgone");
    assert.match(use(panelsSlice).notice.value ?? "", /GET \/gone, which this application does not have/);
  });
});

describe("followLocation", () => {
  let stop = (): void => undefined;
  const follow = async () => {
    const { use } = await stage();
    stop = followLocation(use);
    return { ...use(selectionSlice), ...use(panelsSlice), ...use(applicationSlice) };
  };
  beforeEach(() => {
    location.hash = "";
    written.length = 0;
  });
  afterEach(() => stop());

  test("writes the selection into the location, and removes it again", async () => {
    const { selectRoute, routeId } = await follow();
    selectRoute("POST /x");
    location.hash = "#route=POST+%2Fx";
    routeId.value = null;
    assert.deepEqual(written, ["#route=POST+%2Fx", "/dev"]);
  });

  test("writes nothing before the first load, so that a link can still be followed", async () => {
    const { selectRoute, loaded } = await follow();
    loaded.value = false;
    selectRoute("POST /x");
    assert.deepEqual(written, []);
  });

  test("follows a link in the location, once", async () => {
    const { bean, detail } = await follow();
    location.hash = "#bean=Repo";
    page.dispatchEvent(new Event("hashchange"));
    assert.equal(bean.value, "Repo");
    assert.deepEqual(written, []);
    detail.value = "response";
    page.dispatchEvent(new Event("hashchange"));
    assert.equal(detail.value, "response");
  });

  test("does nothing more after the stop", async () => {
    const { bean, selectRoute } = await follow();
    stop();
    location.hash = "#bean=Repo";
    page.dispatchEvent(new Event("hashchange"));
    selectRoute("POST /x");
    assert.deepEqual([bean.value, written], [null, []]);
  });
});
