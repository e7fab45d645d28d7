/**
 * filesSlice: a run is saved to a file and opened again on the graph it ran in.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { graphOf } from "../../run/traces.testkit.ts";
import { runOf, stage } from "../testing/stage.ts";
import { filesSlice } from "./files.ts";
import { keptSlice } from "./kept.ts";

describe("filesSlice", () => {
  test("saves a run and opens it again on the graph it ran in", async () => {
    const first = await stage({ traces: [runOf(1)] });
    const { savedRun } = first.use(filesSlice);
    assert.equal(savedRun(), undefined);
    first.use(selectionSlice).selectTrace(runOf(1));
    const text = savedRun() ?? "";
    const { use } = await stage({ graph: graphOf({ New: [] }) });
    const { traceId, trace, beans, path, selectRoute } = use(selectionSlice);
    await use(filesSlice).openRun({ name: "run.json", text: async () => text });
    assert.deepEqual([traceId.value, [...beans.value.keys()]], ["i1.1", ["Web", "Service", "Repo", "Other"]]);
    assert.deepEqual([...(path.value?.edges.keys() ?? [])], ["entry>Web", "Web>Service"]);
    use(keptSlice).clear();
    assert.equal(trace.value?.sequence, 1);
    selectRoute("POST /x");
    assert.deepEqual([...beans.value.keys()], ["New"]);
  });

  test("drops no pinned run for a run from a file", async () => {
    const first = await stage({ traces: [runOf(500)] });
    first.use(selectionSlice).selectTrace(runOf(500));
    const text = first.use(filesSlice).savedRun() ?? "";
    const { use, arrive, frame } = await stage({ traces: [runOf(1)] });
    use(keptSlice).togglePin("i1.1");
    for (let i = 10; i < 130; i++) arrive(runOf(i));
    frame();
    await use(filesSlice).openRun({ name: "run.json", text: async () => text });
    const { runOf: kept } = use(selectionSlice);
    assert.deepEqual([kept("i1.1")?.sequence, kept("i1.500")?.sequence], [1, 500]);
  });

  test("exports the selected run as spans and as Markdown, and opens spans with the services that they lead to", async () => {
    const first = await stage({ traces: [runOf(1)] });
    const { markdown, otlp } = await first.use(filesSlice).formsOf(runOf(1));
    assert.match(markdown, /^## `GET \/x\/1` → 200 in /);
    const text = otlp.replace('"Service.run"', '"Far.run"');
    assert.match(text, /"service.name"[^]*"shop"/);
    const { use } = await stage();
    const { traceId, whole } = use(selectionSlice);
    const span = { traceId: "a".repeat(32), startTimeUnixNano: "1000000", endTimeUnixNano: "9000000" };
    const of = (service: string, more: object): string =>
      JSON.stringify({
        resourceSpans: [
          {
            resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
            scopeSpans: [{ scope: { name: "http" }, spans: [{ ...span, ...more }] }],
          },
        ],
      });
    const lines = [
      of("web", { spanId: "1".repeat(16), kind: 2, name: "GET /" }),
      of("pay", { spanId: "2".repeat(16), parentSpanId: "1".repeat(16), kind: 2, name: "POST /pay" }),
    ];
    await use(filesSlice).openRun({ name: "spans.json", text: async () => lines.join("\n") });
    assert.equal(traceId.value, `${"a".repeat(32)}-${"1".repeat(16)}.1`);
    assert.deepEqual(
      whole.value?.calls.map(({ bean, method }) => [bean, method]),
      [
        ["web", "GET /"],
        ["pay › pay", "POST /pay"],
      ],
    );
    await use(filesSlice).openRun({ name: "spans.json", text: async () => text });
    assert.deepEqual(whole.value?.calls.map(({ bean }) => bean).slice(0, 1), ["shop"]);
  });

  test("says why a file is not a run", async () => {
    const { use } = await stage();
    await use(filesSlice).openRun({ name: "notes.txt", text: async () => "hello" });
    assert.equal(use(panelsSlice).notice.value, "notes.txt: The file is not JSON.");
  });
});
