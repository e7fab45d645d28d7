/**
 * sendSlice: a request is sent, its response is shown, its run is found, and a redirect is followed.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { historySlice } from "../runs/history.ts";
import { liveSlice } from "../runs/live.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { traceOf } from "../../run/traces.testkit.ts";
import { okResponse, runOf, stage } from "../testing/stage.ts";
import { draftsSlice } from "./drafts.ts";
import type { ReceivedResponse } from "./receive.ts";
import { sendSlice } from "./send.ts";

describe("send", () => {
  test("sends the draft and selects the trace that carries its correlation id", async () => {
    const { use, sent } = await stage({
      onSend: (page, id) => {
        page.arrive(runOf(7, { correlationId: "someone-else" }));
        page.arrive(runOf(8, { correlationId: id }));
        return okResponse;
      },
    });
    const { selectRoute, traceId, path } = use(selectionSlice);
    selectRoute("GET /x/{id}");
    use(draftsSlice).setDraft({ params: { id: "5" } });
    await use(sendSlice).send();
    assert.deepEqual(sent, [{ request: { method: "GET", url: "/x/5", headers: [], body: undefined }, id: "dev-1" }]);
    assert.equal(traceId.value, "i1.8");
    assert.deepEqual(use(sendSlice).exchange.value?.response, okResponse);
    assert.deepEqual([...(path.value?.edges.keys() ?? [])], ["entry>Web", "Web>Service"]);
  });

  test("separates its own runs from others", async () => {
    const { use } = await stage({
      onSend: (page, id) => {
        page.arrive(runOf(7, { correlationId: "someone-else" }));
        page.arrive(runOf(8, { correlationId: id }));
        return okResponse;
      },
    });
    use(selectionSlice).selectRoute("POST /x");
    await use(sendSlice).send();
    const { setFilter, shown } = use(historySlice);
    setFilter({ onlyMine: true });
    assert.deepEqual(
      shown.value.map((t) => t.sequence),
      [8],
    );
  });

  test("asks the list when the stream stays silent", async () => {
    const { use } = await stage({
      onSend: (page, id) => {
        page.kept.push(runOf(3, { correlationId: id }));
        return okResponse;
      },
    });
    const { selectRoute, traceId } = use(selectionSlice);
    selectRoute("POST /x");
    await use(sendSlice).send();
    assert.equal(traceId.value, "i1.3");
  });

  test("keeps the response and says so when no trace comes", async () => {
    const { use } = await stage();
    const { selectRoute, traceId } = use(selectionSlice);
    const { send, exchange } = use(sendSlice);
    selectRoute("POST /x");
    await send();
    assert.deepEqual([traceId.value, exchange.value?.response], [null, okResponse]);
    assert.match(exchange.value?.notice ?? "", /No trace/);
  });

  test("says why a request failed", async () => {
    const { use } = await stage({
      onSend: () => {
        throw new TypeError("Failed to fetch");
      },
    });
    const { send, sending, exchange } = use(sendSlice);
    use(selectionSlice).selectRoute("POST /x");
    await send();
    assert.deepEqual([exchange.value?.failure, sending.value], ["Failed to fetch", false]);
  });

  test("sends nothing while a path parameter is missing", async () => {
    const { use, sent } = await stage();
    use(selectionSlice).selectRoute("GET /x/{id}");
    await use(sendSlice).send();
    assert.deepEqual(sent, []);
  });

  test("shows no earlier response of this page next to a run from elsewhere", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { selectRoute, selectTrace } = use(selectionSlice);
    const { send, exchange } = use(sendSlice);
    selectRoute("POST /x");
    await send();
    selectTrace(runOf(1));
    assert.equal(exchange.value, null);
  });

  test("shows a response while it arrives, and keeps it when the user stops", async () => {
    const part: ReceivedResponse = { ...okResponse, state: "arriving" };
    const seen: unknown[] = [];
    const { use } = await stage({
      onSend: (page, _, { progress, signal }) => {
        const { exchange, sending, stop } = page.use(sendSlice);
        progress(part);
        seen.push(exchange.value?.response, sending.value);
        stop();
        seen.push(signal.aborted);
        return { ...okResponse, state: "stopped" };
      },
    });
    use(selectionSlice).selectRoute("POST /x");
    const { send, sending, exchange } = use(sendSlice);
    await send();
    assert.deepEqual(seen, [part, true, true]);
    assert.deepEqual([exchange.value?.response?.state, sending.value], ["stopped", false]);
  });

  test("says that it was stopped when there was no response yet", async () => {
    const { use } = await stage({
      onSend: (page) => {
        page.use(sendSlice).stop();
        throw new DOMException("aborted", "AbortError");
      },
    });
    use(selectionSlice).selectRoute("POST /x");
    await use(sendSlice).send();
    assert.equal(use(sendSlice).exchange.value?.failure, "You stopped it before the application responded");
  });

  test("finds the run of its own request while paused", async () => {
    const { use } = await stage({
      onSend: (page, id) => {
        page.arrive(runOf(8, { correlationId: "another" }));
        page.arrive(runOf(9, { correlationId: id }));
        return okResponse;
      },
    });
    use(liveSlice).setPaused(true);
    const { selectRoute, traceId } = use(selectionSlice);
    selectRoute("POST /x");
    await use(sendSlice).send();
    assert.deepEqual(
      use(applicationSlice).traces.value.map((t) => t.sequence),
      [9],
    );
    assert.equal(traceId.value, "i1.9");
  });
});

describe("an incomplete draft", () => {
  test("DASH-133: is reported at Send, not before, and nothing is sent", async () => {
    const { use, sent } = await stage();
    use(selectionSlice).selectRoute("GET /x/{id}");
    const { send, incomplete } = use(sendSlice);
    assert.equal(incomplete.value, null);
    await send();
    assert.deepEqual([incomplete.value, sent], [{ route: "GET /x/{id}" }, []]);
    use(draftsSlice).setDraft({ params: { id: "5" } });
    await send();
    assert.deepEqual([incomplete.value, sent.length], [null, 1]);
  });
});

describe("differs", () => {
  test("DASH-131: the editor holds a draft when it differs from the selected run's request", async () => {
    const { use } = await stage({
      traces: [runOf(1), runOf(2, { path: "/x/2", request: { ...runOf(2).request, pathParams: { id: "2" } } })],
    });
    const { differs } = use(sendSlice);
    const { editRun, setDraft } = use(draftsSlice);
    const [newest, oldest] = use(applicationSlice).traces.value;
    assert.ok(newest !== undefined && oldest !== undefined);
    assert.equal(differs.value, false);
    editRun(newest);
    use(selectionSlice).selectTrace(newest);
    assert.equal(differs.value, false);
    use(selectionSlice).selectTrace(oldest);
    assert.equal(differs.value, true);
    editRun(oldest);
    assert.equal(differs.value, false);
    setDraft({ query: "a=1" });
    assert.equal(differs.value, true);
  });

  test("DASH-038: a run of this page has the sent request, also if the recording has less", async () => {
    const { use } = await stage({
      onSend: (page, id) => {
        page.arrive(runOf(8, { correlationId: id, method: "POST", route: "/x", path: "/x" }));
        return okResponse;
      },
    });
    use(selectionSlice).selectRoute("POST /x");
    use(draftsSlice).setDraft({ headers: [["Authorization", "Bearer x"]], body: '{"a":1}' });
    await use(sendSlice).send();
    assert.deepEqual([use(selectionSlice).traceId.value, use(sendSlice).differs.value], ["i1.8", false]);
  });
});

describe("an application mounted below a path of a host", () => {
  test("DASH-036: is the target of requests", async () => {
    const { use, sent } = await stage({ mount: "/api" });
    use(selectionSlice).selectRoute("GET /x/{id}");
    use(draftsSlice).setDraft({ params: { id: "5" } });
    await use(sendSlice).send();
    assert.equal(sent.at(-1)?.request.url, "/api/x/5");
  });

  test("DASH-036: follows redirects as a browser there does", async () => {
    const { use, sent } = await stage({ mount: "/api" });
    const run = traceOf([], { method: "POST", path: "/x", status: 303 });
    for (const target of ["/api/x/7", "x/7"]) {
      await use(sendSlice).follow(run, target);
      assert.equal(sent.pop()?.request.url, "/api/x/7");
    }
    for (const target of ["/x/7", "/apix/7", "/api"]) {
      await use(sendSlice).follow(run, target);
      assert.equal(use(panelsSlice).notice.value, `This application has no route for GET ${target}.`);
    }
    assert.deepEqual(sent, []);
  });
});

describe("follow", () => {
  test("follows a redirect to a route of the application", async () => {
    const { use, sent } = await stage();
    await use(sendSlice).follow(traceOf([], { method: "POST", path: "/x", status: 303 }), "/x/7?a=1");
    assert.deepEqual(sent.at(-1)?.request, { method: "GET", url: "/x/7?a=1", headers: [], body: undefined });
    assert.equal(use(selectionSlice).routeId.value, "GET /x/{id}");
  });

  test("repeats method and body if the redirect says so", async () => {
    const { use, sent } = await stage();
    const request = { pathParams: {}, query: {}, headers: {}, body: { n: 1 } };
    await use(sendSlice).follow(traceOf([], { method: "POST", path: "/a/b", status: 307, request }), "../x");
    assert.deepEqual([sent.at(-1)?.request.method, sent.at(-1)?.request.body], ["POST", '{\n  "n": 1\n}']);
  });

  test("does not follow to a path without a route of the application", async () => {
    const { use, sent } = await stage();
    for (const target of ["https://elsewhere.example/x/7", "/nowhere", "http://[", "javascript:alert(1)"]) {
      await use(sendSlice).follow(traceOf([], { status: 302 }), target);
      assert.equal(use(panelsSlice).notice.value, `This application has no route for GET ${target}.`);
    }
    assert.deepEqual(sent, []);
  });
});
