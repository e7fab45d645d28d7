/** Traces over HTTP: the fields that each trace has. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import { isLasting } from "../kit/evidence.ts";
import type { HeaderLines } from "../kit/response.ts";
import { traced } from "../kit/traces.ts";

/** A subject may run on another machine with a slightly different clock. */
const hour = 3_600_000;

/** The lines of the headers that describe the response itself, by name. A proxy may add headers about the transport. */
function linesOf(headers: HeaderLines): Readonly<Record<string, readonly string[]>> {
  const names = ["x-request-id", "x-failed", "x-after"];
  return Object.fromEntries(
    names.map((wanted) => [
      wanted,
      headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value),
    ]),
  );
}

/** The cases of this chapter that are not vectors. */
export const traceFields = [
  proves("TRACE-100", "has the time when the request began", async (probe) => {
    const { trace: first } = await traced(probe, "GET", "/slow/60?about=fields");
    const { trace: second } = await traced(probe, "GET", "/users/7?about=fields");
    const between = second.startedAt - first.startedAt;
    const seen = [between >= 50 && between < 60_000, Math.abs(Date.now() - second.startedAt) < hour];
    probe.equal("whether the second began after the first was over, and all within the hour", seen, [true, true]);
  }),

  proves("TRACE-101", "has the duration of the request", async (probe) => {
    const began = performance.now();
    const { trace: slow } = await traced(probe, "GET", "/slow/60?about=fields");
    const elapsedUs = (performance.now() - began) * 1_000;
    const { trace: quick } = await traced(probe, "GET", "/users/7?about=fields");
    const seen = [
      isLasting(slow.durationUs, 60_000, elapsedUs),
      quick.durationUs < slow.durationUs,
      quick.durationUs > 0,
    ];
    probe.equal("whether the slow one takes its time, and the quick one less", seen, [true, true, true]);
  }),

  proves("TRACE-103", "has the sent headers", async (probe) => {
    const seen = [];
    for (const target of ["/users/7?about=fields", "/fail/418?about=fields", "/returns/bytes?about=fields"]) {
      const { response, trace } = await traced(probe, "GET", target);
      const lines = Object.entries(trace.response.headers).flatMap(([name, values]) =>
        values.map((value) => [name, value] as const),
      );
      seen.push([linesOf(lines), linesOf(response.headers)]);
    }
    probe.equal(
      "the headers",
      seen.map(([shown]) => shown),
      seen.map(([, sent]) => sent),
    );
  }),

  proves("TRACE-111", "numbers runs in the order in which they begin", async (probe) => {
    const slow = traced(probe, "GET", "/slow/150?about=fields");
    slow.catch(() => undefined);
    await probe.underWay();
    const quick = [
      await traced(probe, "GET", "/users/7?about=fields"),
      await traced(probe, "GET", "/users/8?about=fields"),
    ];
    const [first = 0, second, third] = [await slow, ...quick].map(({ trace }) => trace.run);
    probe.equal("the numbers", [second, third], [first + 1, first + 2]);
  }),

  proves("TRACE-126", "has the time of the handler that waited, and no steps that took no time", async (probe) => {
    const { trace } = await traced(probe, "GET", "/slow/60?about=phases");
    const { phases = [] } = trace;
    const handlerUs = phases.reduce((sum, { kind, durationUs }) => sum + (kind === "handler" ? durationUs : 0), 0);
    const starts = phases.map(({ startUs }) => startUs);
    const seen = [
      isLasting(handlerUs, 55_000, trace.durationUs),
      phases.filter(({ durationUs }) => durationUs === 0).length,
      starts,
    ];
    probe.equal("whether it took its time, how many took none, and the starts", seen, [
      true,
      0,
      starts.toSorted((a, b) => a - b),
    ]);
  }),

  proves("TRACE-127", "has steps in a row, within the request", async (probe) => {
    const { trace } = await traced(probe, "POST", "/orders?about=phases", { json: { item: "tea", total: 150 } });
    const { phases = [], durationUs: wholeUs } = trace;
    const wrong = phases.filter(({ startUs, durationUs }, at) => {
      const endUs = startUs + durationUs;
      return endUs > wholeUs || endUs > (phases[at + 1]?.startUs ?? wholeUs);
    });
    probe.equal("whether there are steps, and which overlap or end late", [phases.length > 0, wrong], [true, []]);
  }),

  proves("TRACE-117", "ends each call within its request", async (probe) => {
    const order = await traced(probe, "POST", "/orders?about=within", { json: { item: "tea", total: 150 } });
    const { trace: parallel } = await traced(probe, "GET", "/parallel?about=within");
    const ends = [order.trace, parallel].map(({ calls: own, durationUs }) => {
      const late = own.filter((call) => !(call.startUs + (call.durationUs ?? Number.NaN) <= durationUs));
      return [own.length, late.map(({ id }) => id)];
    });
    probe.equal("how many calls there are, and which end behind their request", ends, [
      [6, []],
      [7, []],
    ]);
  }),

  proves("TRACE-118", "times calls in the order in which they began", async (probe) => {
    const { trace } = await traced(probe, "GET", "/parallel?about=rising");
    const starts = trace.calls.toSorted((a, b) => a.id - b.id).map(({ startUs }) => startUs);
    const sorted = starts.toSorted((a, b) => a - b);
    probe.equal("how many calls there are, and their starts", [starts.length, starts], [7, sorted]);
  }),
];
