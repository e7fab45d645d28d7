/** Traces, by HTTP: what every one of them says of its request. Spec: trace.md (TRACE). */
import { BeanGraph } from "../../spec/graph.ts";
import { proves } from "../kit/case.ts";
import { graphPath } from "../kit/devtools.ts";
import { isLasting } from "../kit/evidence.ts";
import type { Probe } from "../kit/probe.ts";
import type { HeaderLines } from "../kit/response.ts";
import { traced, type Traced } from "../kit/traces.ts";

/** A subject may run on another machine, whose clock is not quite ours. */
const hour = 3_600_000;

/** The lines of the headers that speak of the response itself, by their names; of how it comes a proxy may say more. */
function linesOf(headers: HeaderLines): Readonly<Record<string, readonly string[]>> {
  const names = ["x-request-id", "x-failed", "x-after"];
  return Object.fromEntries(
    names.map((wanted) => [
      wanted,
      headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value),
    ]),
  );
}

/** The calls of an order that goes through every bean, and of beans side by side. */
async function calls(probe: Probe): Promise<Traced["trace"]["calls"]> {
  const order = await traced(probe, "POST", "/orders?about=fields", { json: { item: "tea", total: 150 } });
  const parallel = await traced(probe, "GET", "/parallel?about=fields");
  return [...order.trace.calls, ...parallel.trace.calls];
}

/** The cases of the fields of a trace. */
export const traceFields = [
  proves("TRACE-100", "says when the request began", async (probe) => {
    const { trace: first } = await traced(probe, "GET", "/slow/60?about=fields");
    const { trace: second } = await traced(probe, "GET", "/users/7?about=fields");
    const between = second.startedAt - first.startedAt;
    const seen = [between >= 50 && between < 60_000, Math.abs(Date.now() - second.startedAt) < hour];
    probe.equal("whether the second began after the first was over, and all within the hour", seen, [true, true]);
  }),

  proves("TRACE-101", "says how long the request took", async (probe) => {
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

  proves("TRACE-102", "has the method of the request", async (probe) => {
    const seen: string[] = [];
    const methods = ["GET", "HEAD", "OPTIONS", "DELETE", "PROPFIND"];
    for (const method of methods) seen.push((await traced(probe, method, "/users/7?about=fields")).trace.method);
    probe.equal("the methods", seen, methods);
  }),

  proves("TRACE-103", "has the headers that were sent", async (probe) => {
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

  proves("TRACE-104", "counts the bytes of the body", async (probe) => {
    const seen = [];
    for (const target of ["/big/1000", "/big/7", "/events/3", "/big/9", "/big/0"]) {
      const { response, trace } = await traced(probe, "GET", `${target}?about=fields`);
      seen.push([trace.response.bytes, response.bytes.length]);
    }
    probe.equal(
      "the bytes shown",
      seen.map(([shown]) => shown),
      seen.map(([, sent]) => sent),
    );
  }),

  proves("TRACE-105", "says of no request that it was aborted", async (probe) => {
    const seen: boolean[] = [];
    for (const target of ["/users/7", "/boom", "/events/3", "/nowhere"])
      seen.push((await traced(probe, "GET", `${target}?about=fields`)).trace.aborted);
    probe.equal("whether each was aborted", seen, [false, false, false, false]);
  }),

  proves("TRACE-106", "names the bean of a call as the graph does", async (probe) => {
    const { nodes } = probe.json(BeanGraph, await probe.send("GET", graphPath));
    const named = (await calls(probe)).map(({ bean, stereotype }) => [bean, stereotype]);
    const drawn = named.map(([bean]) => [bean, nodes.find(({ id }) => id === bean)?.stereotype]);
    probe.equal("how many calls there are, and their beans", [named.length, named], [13, drawn]);
  }),

  proves("TRACE-109", "names the interface that the method is of", async (probe) => {
    const seen = (await calls(probe)).map(({ bean, declaredBy }) => [bean, declaredBy]);
    probe.equal(
      "how many calls there are, and the interfaces",
      [seen.length, seen],
      [13, seen.map(([bean]) => [bean, bean])],
    );
  }),

  proves("TRACE-107", "says which calls returned a promise", async (probe) => {
    const seen = new Map((await calls(probe)).map((call) => [call.bean, call.async]));
    const returned = {
      OrderController: true,
      OrderService: true,
      Catalog: false,
      Pricing: false,
      OrderRepository: true,
    };
    probe.equal(
      "which are asynchronous",
      Object.fromEntries(Object.keys(returned).map((bean) => [bean, seen.get(bean)])),
      returned,
    );
  }),

  proves("TRACE-054", "names no bound of calls where none was reached", async (probe) => {
    const { trace } = await traced(probe, "GET", "/parallel?about=fields");
    probe.equal("the bound, and the calls", [trace.callLimit, trace.calls.length], [undefined, 7]);
  }),

  proves("TRACE-110", "says of a request nothing that is of other work", async (probe) => {
    const { trace } = await traced(probe, "GET", "/users/7?about=fields");
    probe.equal("kind, event and connection", [trace.kind, trace.event, trace.connection], Array(3).fill(undefined));
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

  proves("TRACE-108", "says that nothing was dropped", async (probe) => {
    const { trace } = await traced(probe, "GET", "/parallel?about=fields");
    probe.equal("calls, and those dropped", [trace.calls.length, trace.droppedCalls, trace.droppedLeaves], [7, 0, 0]);
  }),
];
