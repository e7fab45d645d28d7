/** Traces, by HTTP: the calls of beans that a request made. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { idIn } from "../kit/response.ts";
import { traced, type Call, type Traced } from "../kit/traces.ts";

/** An order of tea that the mailer gets. Its path through the beans is drawn in spec/subject.md. */
function order(probe: Probe, about: string, item = "tea"): Promise<Traced> {
  return traced(probe, "POST", `/orders?about=${about}`, { json: { item, total: 150 } });
}

const callsOf = async (traced: Promise<Traced>): Promise<readonly Call[]> => (await traced).trace.calls;

/** The call's parent, as its place in the list says. */
const parentOf = (calls: readonly Call[], { parentId }: Call): Call | undefined =>
  calls.find(({ id }) => id === parentId);

/** The cases of calls. */
export const traceCalls = [
  proves("TRACE-017", "lists each call in the order in which it was entered", async (probe) => {
    const calls = await callsOf(order(probe, "entries"));
    probe.equal(
      "the calls",
      calls.map(({ id, bean, method }) => `${id} ${bean}.${method}`),
      [
        "0 OrderController.create",
        "1 OrderService.place",
        "2 Catalog.find",
        "3 Pricing.quote",
        "4 OrderRepository.save",
        "5 Mailer.send",
      ],
    );
  }),

  proves("TRACE-018", "gives each call its caller for a parent, also side by side", async (probe) => {
    const calls = await callsOf(traced(probe, "GET", "/parallel?about=parents"));
    const callers = calls.map((call) => {
      const name = call.bean === "Leaf" ? `Leaf of ${String(call.args[0])}` : call.bean;
      return `${name} ◀ ${parentOf(calls, call)?.bean ?? String(call.parentId)}`;
    });
    probe.equal("the callers", callers.toSorted(), [
      "Leaf of Left ◀ Left",
      "Leaf of Middle ◀ Middle",
      "Leaf of Right ◀ Right",
      "Left ◀ ParallelController",
      "Middle ◀ ParallelController",
      "ParallelController ◀ null",
      "Right ◀ ParallelController",
    ]);
  }),

  proves("TRACE-019", "counts the depth from 0", async (probe) => {
    const calls = await callsOf(traced(probe, "GET", "/parallel?about=depth"));
    const depths = calls.map(({ bean, depth }) => `${bean} ${depth}`).toSorted();
    probe.equal("the depths", depths, [
      "Leaf 2",
      "Leaf 2",
      "Leaf 2",
      "Left 1",
      "Middle 1",
      "ParallelController 0",
      "Right 1",
    ]);
  }),

  proves("TRACE-020", "has the arguments of each call", async (probe) => {
    const { response, trace } = await order(probe, "arguments");
    const given = trace.calls.slice(1).map(({ bean, args }) => [bean, args]);
    probe.equal("the arguments", given, [
      ["OrderService", [{ item: "tea", total: 150 }]],
      ["Catalog", ["tea"]],
      ["Pricing", [150]],
      ["OrderRepository", [{ item: "tea", total: 150 }]],
      ["Mailer", [idIn(response)]],
    ]);
  }),

  proves("TRACE-021", "has what each call returned, settled", async (probe) => {
    const { response, trace } = await order(probe, "results");
    const id = idIn(response);
    const returned = trace.calls.slice(1, 5).map(({ bean, result }) => [bean, result]);
    probe.equal("the results", returned, [
      ["OrderService", id],
      ["Catalog", { item: "tea" }],
      ["Pricing", 150],
      ["OrderRepository", id],
    ]);
  }),

  proves("TRACE-022", "has the error of a call that threw, and no result", async (probe) => {
    const { trace } = await traced(probe, "POST", "/orders?about=thrown", { json: { item: "tea", total: "much" } });
    const settled = await callsOf(order(probe, "not-thrown"));
    probe.equal(
      "the errors of calls that threw nothing",
      settled.filter(({ error }) => error !== null),
      [],
    );
    const threw = trace.calls.map(({ bean, result, error }) => [bean, result, error?.name, error?.message]);
    const { name, message } = trace.error ?? {};
    probe.equal(
      "the calls, and whether they have an error",
      [threw, typeof name],
      [[["OrderController", null, name, message]], "string"],
    );
  }),

  proves("TRACE-023", "tells that a method returned nothing", async (probe) => {
    const calls = await callsOf(order(probe, "nothing"));
    const nothing = calls.filter(({ bean }) => bean === "OrderController" || bean === "Mailer");
    const results = nothing.map(({ result }) => result);
    probe.equal("the results", results, [{ $undefined: true }, { $undefined: true }]);
  }),

  proves("TRACE-026", "times each call within its caller's", async (probe) => {
    const { trace } = await traced(probe, "GET", "/parallel?about=times");
    const whole = { startUs: 0, durationUs: trace.durationUs };
    const fits = trace.calls.map((call) => {
      const { startUs, durationUs } = parentOf(trace.calls, call) ?? whole;
      const end = startUs + (durationUs ?? 0);
      return call.startUs >= startUs && call.durationUs !== null && call.startUs + call.durationUs <= end;
    });
    probe.equal("whether each fits", fits, Array(7).fill(true));
  }),

  proves("TRACE-027", "keeps the calls of requests apart that run at once", async (probe) => {
    const items = Array.from({ length: 8 }, () => probe.token());
    const found = await Promise.all(items.map((item) => callsOf(order(probe, "apart", item))));
    const asked = found.map((calls) => calls.filter(({ bean }) => bean === "Catalog").map(({ args }) => args[0]));
    probe.equal(
      "the items that each asked for",
      asked,
      items.map((item) => [item]),
    );
  }),
];
