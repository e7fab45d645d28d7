/**
 * Deep links: the selection goes into the location, and comes back from it.
 */

import assert from "node:assert/strict";
import { batch } from "@preact/signals";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, httpOf, traceOf } from "../../run/traces.testkit.ts";
import { followServices } from "../runs/other-services.ts";
import { searchSlice } from "../store/search.ts";
import { runOf, settled, stage } from "../testing/stage.ts";
import { followLocation, linkSlice } from "./link.ts";

const page = new EventTarget();
const location = { pathname: "/dev", search: "", hash: "" };
const written: string[] = [];
const write = (how: string, url: string): void => {
  written.push(`${how} ${url}`);
  location.hash = url.startsWith("#") ? url : "";
};
const restore = setGlobals({
  location,
  history: {
    pushState: (_state: unknown, _title: string, url: string) => write("push", url),
    replaceState: (_state: unknown, _title: string, url: string) => write("replace", url),
  },
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
});
after(restore);

describe("openLink", () => {
  test("selects the link's target, and says when its run is gone", async () => {
    const { use } = await stage({ traces: [runOf(4)] });
    const { routeId, traceId, bean } = use(selectionSlice);
    const { link, openLink } = use(linkSlice);
    await openLink("#trace=i1.4&bean=Repo");
    assert.deepEqual(
      [routeId.value, traceId.value, bean.value, link.value],
      ["GET /x/{id}", "i1.4", "Repo", "#route=GET+%2Fx%2F%7Bid%7D&trace=i1.4&bean=Repo"],
    );
    await openLink("#trace=i0.9");
    assert.match(use(panelsSlice).notice.value ?? "", /i0\.9 is no longer kept/);
    assert.deepEqual([traceId.value, bean.value, link.value], [null, null, ""]);
  });

  test("shows place, tab, list, search, call and marked runs, and link is the same again", async () => {
    const { use } = await stage({ traces: [runOf(4), runOf(3)] });
    const { link, openLink } = use(linkSlice);
    const whole =
      "#place=inspect&route=GET+%2Fx%2F%7Bid%7D&trace=i1.4&tab=timeline&bean=Service&call=1&list=history&q=x&a=i1.3&b=i1.4";
    await openLink(whole);
    assert.equal(link.value, whole);
    assert.equal(use(panelsSlice).notice.value, null);
    await openLink("#route=POST+%2Fx");
    assert.equal(link.value, "#route=POST+%2Fx");
  });

  test("reads runs that the page does not have", async () => {
    const { use } = await stage({
      onRead: (name) => (name === "runs/i0.7" ? runOf(7, { instance: "i0" }) : undefined),
    });
    const { link, openLink } = use(linkSlice);
    await openLink("#trace=i0.7&a=i0.7&b=i0.8");
    assert.equal(link.value, "#route=GET+%2Fx%2F%7Bid%7D&trace=i0.7&a=i0.7");
    assert.match(use(panelsSlice).notice.value ?? "", /^Run i0\.8 is no longer kept/);
  });

  test("asks for no run whose name is a path", async () => {
    const asked: string[] = [];
    const { use } = await stage({ onRead: (name) => void asked.push(name) });
    await use(linkSlice).openLink("#trace=..%2F..%2Flogout");
    assert.deepEqual(asked, []);
    assert.match(use(panelsSlice).notice.value ?? "", /is not the name of a run/);
  });

  test("leaves out unknown parts, with a sentence for each", async () => {
    const { use } = await stage({ traces: [runOf(4)] });
    const { link, openLink } = use(linkSlice);
    await openLink("#place=moon&trace=i1.4&tab=x&bean=Gone&call=99&leaf=7&list=y");
    assert.equal(link.value, "#route=GET+%2Fx%2F%7Bid%7D&trace=i1.4");
    assert.equal(
      use(panelsSlice).notice.value,
      "This page has no place “moon”. This page has no tab “x”. This page has no list “y”. There is no bean Gone. The run has no call 99. The run has no operation 7.",
    );
  });

  test("shows a bean of another service once its run is there", async () => {
    const run = { origin: "http://127.0.0.1:1", id: "i2.7" };
    const remote = { name: "post", graph: graphOf({ Near: [] }), trace: traceOf([callOf(0, null, "Near")]) };
    const { use } = await stage({ traces: [runOf(4, { leaves: [httpOf(0, 1, run)] })], onRemote: () => remote });
    const stop = followServices(use);
    const { bean, callId } = use(selectionSlice);
    const opened = use(linkSlice).openLink("#trace=i1.4&bean=post+%E2%80%BA+Near&call=1");
    assert.equal(bean.value, null);
    await opened;
    for (let i = 0; i < 6; i++) await settled();
    assert.deepEqual([bean.value, callId.value], ["post › Near", 1]);
    stop();
  });

  test("says when the application does not have the route", async () => {
    const { use } = await stage();
    await use(linkSlice).openLink("#route=GET+%2Fgone");
    assert.equal(use(panelsSlice).notice.value, "This application does not have the route GET /gone.");
  });
});

describe("followLocation", () => {
  let stop = (): void => undefined;
  const follow = async () => {
    const { use } = await stage();
    stop = followLocation(use);
    return { ...use(selectionSlice), ...use(panelsSlice), ...use(applicationSlice), ...use(searchSlice) };
  };
  beforeEach(() => {
    location.hash = "";
    written.length = 0;
  });
  afterEach(() => stop());

  test("writes the selection into the location, and removes it again", async () => {
    const { selectRoute, routeId } = await follow();
    selectRoute("POST /x");
    routeId.value = null;
    assert.deepEqual(written, ["push #route=POST+%2Fx", "push /dev"]);
  });

  test("replaces the entry while the user types a search", async () => {
    const { text } = await follow();
    text.value = "a";
    text.value = "ab";
    assert.deepEqual(written, ["replace #q=a", "replace #q=ab"]);
  });

  test("makes one entry for a request and its run", async () => {
    const { selectTrace, traceId, exchangeId, traces } = await follow();
    const [older, own] = [runOf(3), runOf(4, { correlationId: "dev-1" })];
    traces.value = [own, older];
    selectTrace(older);
    batch(() => {
      traceId.value = null;
      exchangeId.value = "dev-1";
    });
    selectTrace(own);
    const route = "#route=GET+%2Fx%2F%7Bid%7D";
    assert.deepEqual(written, [`push ${route}&trace=i1.3`, `push ${route}`, `replace ${route}&trace=i1.4`]);
  });

  test("makes no entry for Back, and one for the next selection", async () => {
    const { selectRoute, selectBean } = await follow();
    selectRoute("POST /x");
    selectBean("Repo");
    written.length = 0;
    location.hash = "#route=POST+%2Fx&bean=Gone";
    page.dispatchEvent(new Event("hashchange"));
    selectBean("Repo");
    assert.deepEqual(written, ["replace #route=POST+%2Fx", "push #route=POST+%2Fx&bean=Repo"]);
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
