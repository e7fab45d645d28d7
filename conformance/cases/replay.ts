/** Replays, by HTTP: a kept request once more, with what was recorded. Spec: replay.md (REPLAY). */
import { ReplayPlan, ReplayProblem } from "../../spec/replay.ts";
import { proves } from "../kit/case.ts";
import { Problem, replaysPath } from "../kit/devtools.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";
import { idIn } from "../kit/response.ts";
import { traced, type Trace, type Traced } from "../kit/traces.ts";

/** An order that was placed, under a path of its own. */
const placed = (probe: Probe, about: string, item = "tea"): Promise<Traced> =>
  traced(probe, "POST", `/orders?about=${about}`, { json: { item, total: 7 } });

const naming = ({ instance, sequence }: Trace, beans: string): SendOptions["headers"] => ({
  "x-framework-replay": `${instance}.${sequence};beans=${beans}`,
});

const replayed = (probe: Probe, trace: Trace, beans: string, target: string, options: SendOptions): Promise<Traced> =>
  traced(probe, trace.method, target, { ...options, headers: { ...options.headers, ...naming(trace, beans) } });

/** The cases of this chapter. */
export const replay = [
  proves("REPLAY-001", "runs the code between, and returns what was recorded of a bean", async (probe) => {
    const { response: created } = await placed(probe, "replay-made");
    const id = idIn(created) ?? "";
    const target = `/orders/${id}?about=replay-found`;
    const found = await traced(probe, "GET", target);
    const again = await replayed(probe, found.trace, "OrderRepository", target, {});
    const outcome = ({ response, trace }: Traced): unknown => [
      response.status,
      response.text,
      trace.calls.map(({ bean, method, args, result }) => ({ bean, method, args, result })),
    ];
    probe.equal("response and calls", outcome(again), outcome(found));
    const statements = ({ trace }: Traced): number => trace.leaves.filter(({ kind }) => kind === "sql").length;
    probe.equal("statements of the run and of its replay", [statements(found), statements(again)], [1, 0]);
  }),

  proves("REPLAY-006", "ends at a call with other arguments, and says which", async (probe) => {
    const { trace } = await placed(probe, "replay-end");
    const body = { json: { item: "tea", total: 8 } };
    const { response } = await replayed(probe, trace, "OrderRepository", "/orders?about=replay-end", body);
    const { status, replay: of, detail } = probe.json(ReplayProblem, response);
    probe.equal(
      "status, type, and the call",
      [response.status, response.type, status, of.bean, of.method],
      [409, "application/problem+json", 409, "OrderRepository", "save"],
    );
    probe.equal("whether it names both values", [detail.includes("7"), detail.includes("8")], [true, true]);
  }),

  proves("REPLAY-010", "rejects what names no replay that can be", async (probe) => {
    const { trace } = await placed(probe, "replay-bad");
    const run = `${trace.instance}.${trace.sequence}`;
    const statuses: unknown[] = [];
    const values = ["x", `${run};beans=`, `${run};beans=%zz`, `${trace.instance}.999999;beans=Pricing`];
    for (const value of [...values, `${run};beans=Nobody`, `${run};beans=Database`]) {
      const headers = { "x-framework-replay": value };
      const target = "/orders?about=replay-bad";
      const response = await probe.send("POST", target, { headers, json: { item: "tea", total: 7 } });
      statuses.push([response.status, probe.json(ReplayProblem, response).status]);
    }
    const [bad, none] = [
      [400, 400],
      [409, 409],
    ];
    probe.equal("the statuses", statuses, [bad, bad, bad, none, none, none]);
    const other = await probe.send("GET", "/users/1?about=replay-bad", { headers: naming(trace, "Pricing") ?? {} });
    probe.equal("the run of another request", [other.status, probe.json(ReplayProblem, other).status], none);
  }),

  proves("REPLAY-011", "keeps the guard's word on a path of the application", async (probe) => {
    const { trace } = await placed(probe, "replay-guard");
    const foreign = { ...naming(trace, "OrderRepository"), "x-forwarded-for": "192.0.2.1" };
    const json = { item: "tea", total: 7 };
    const rejected = await probe.send("POST", "/orders?about=replay-guard", { headers: foreign, json });
    probe.equal("the status", rejected.status, 403);
  }),

  proves("REPLAY-020", "runs nothing for whom the guard rejects", async (probe) => {
    const { trace } = await placed(probe, "replay-nothing");
    const foreign = { ...naming(trace, "OrderRepository"), "x-forwarded-for": "192.0.2.1" };
    const json = { item: "tea", total: 7 };
    await probe.send("POST", "/orders?about=replay-nothing", { headers: foreign, json });
    const next = await placed(probe, "replay-nothing");
    probe.equal("the run that followed", next.trace.sequence, trace.sequence + 1);
  }),

  proves("REPLAY-013", "plans which beans can be replayed, and which are the defaults", async (probe) => {
    const { trace } = await placed(probe, "replay-plan");
    const path = `${replaysPath}${trace.instance}.${trace.sequence}`;
    const planned = await probe.send("GET", path);
    const { instance, sequence, beans, refusal } = probe.json(ReplayPlan, planned);
    probe.equal(
      "status and run",
      [planned.status, instance, sequence, refusal],
      [200, trace.instance, trace.sequence, null],
    );
    probe.equal(
      "bean, calls, default, can it be replayed",
      beans.map((one) => [one.bean, one.calls, one.isDefault, one.refusal === null]),
      [
        ["OrderController", 1, false, false],
        ["OrderService", 1, false, true],
        ["Catalog", 1, true, true],
        ["Pricing", 1, true, true],
        ["OrderRepository", 1, true, true],
      ],
    );
    const none = await probe.send("GET", `${replaysPath}${trace.instance}.${trace.sequence + 1_000_000}`);
    probe.equal("a run that is not kept", [none.status, probe.json(Problem, none).status], [404, 404]);
  }),

  proves("REPLAY-015", "says of which run a run is the replay, and why it ended", async (probe) => {
    const { trace } = await placed(probe, "replay-of");
    const target = "/orders?about=replay-of";
    const json = { item: "tea", total: 7 };
    const through = await replayed(probe, trace, "OrderRepository,Pricing", target, { json });
    const ended = await replayed(probe, trace, "Pricing", target, { json: { ...json, total: 9 } });
    const { instance, sequence } = trace;
    probe.equal("of the run itself", trace.replayOf, undefined);
    const told = [through, ended].map(({ trace: { replayOf: of } }) => [
      of?.instance,
      of?.sequence,
      of?.beans,
      of?.notes,
    ]);
    probe.equal("of its replay, and of one that ended", told, [
      [instance, sequence, ["OrderRepository", "Pricing"], []],
      [instance, sequence, ["Pricing"], []],
    ]);
    const { bean, method, reason = "" } = ended.trace.replayOf?.ended ?? {};
    const { detail } = probe.json(ReplayProblem, ended.response);
    probe.equal("why the first one ended", through.trace.replayOf?.ended, null);
    probe.equal("of the other", [ended.trace.status, bean, method], [409, "Pricing", "quote"]);
    probe.equal(
      "whether the problem says why, as the trace does",
      detail.endsWith(reason) && reason.includes("9"),
      true,
    );
  }),
];
