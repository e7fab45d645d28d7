/**
 * Run tools: send a request, and read recorded runs.
 */
import { isBefore } from "../../run/explain/last-good.ts";
import { occurrencesOf, type Occurrence } from "../../run/origin.ts";
import { placeText, profileRows } from "../../run/profile.ts";
import { runText } from "../../run/spent.ts";
import type { DevtoolsClient } from "../terminal/client.ts";
import { TerminalError } from "../terminal/errors.ts";
import { runNamed } from "../terminal/named-run.ts";
import { thrownOf } from "../terminal/args.ts";
import { send, type SendResult } from "../terminal/send.ts";
import { sendAgain } from "../terminal/send-again.ts";
import { valueText } from "../terminal/value-text.ts";
import type {
  AgentAwaited,
  AgentOccurrence,
  AgentOccurrences,
  AgentProfile,
  AgentRunView,
  AgentRuns,
  AgentSent,
  WhatIf,
} from "../../run/shapes.ts";
import { anything, oneOf, text, texts, whole, type ToolInput } from "./inputs.ts";
import { cut, pageOf } from "./pages.ts";
import { bounded, notice, paged, pagingOf, roomOf, runInput, type Tool } from "./tool.ts";
import { detailOf, errorText, linesOf, Places, runOf, summaryOf } from "./views.ts";

/** `send_request`. */
export const sendRequest: Tool = {
  name: "send_request",
  description:
    "Sends a request to the application and gives its response and the id of its run: use it to see a fault happen, knowing that it may change data.",
  inputs: bounded({
    method: text("GET, POST …", true),
    path: text("As routes have it, with the context path; its query behind a question mark.", true),
    headers: texts("Its headers."),
    body: anything("Its body: a text is sent as it is, all else as JSON."),
  }),
  output: "AgentSent",
  isReadOnly: false,
  async run(given, { client }): Promise<AgentSent> {
    const method = (given.text("method") ?? "").toUpperCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Z-]{1,40}$/.test(method))
      throw new TerminalError(`${JSON.stringify(method)} is no method`);
    const json = given.json("body");
    const body = json === undefined || typeof json === "string" ? json : JSON.stringify(json);
    const sent = await send(client, { method, path: given.text("path") ?? "", headers: given.texts("headers"), body });
    return sentOf(sent, given);
  },
};

/** A response and its run for an agent. */
export const sentOf = ({ status, contentType, body, run }: SendResult, given: ToolInput): AgentSent => ({
  status,
  contentType: cut(contentType, 200),
  body: cut(body, roomOf(given)),
  run: run === undefined ? null : runOf(run),
  did: run === undefined ? "" : runText(run),
  error: errorText(run?.error ?? null),
  notice,
});

/** `what_if`. */
export const whatIf: Tool = {
  name: "what_if",
  description:
    "Sends the request of a run again with another outcome of one call: use it to check whether that call is the cause, knowing that all others are real and may change data, unless their beans are in recorded.",
  inputs: bounded({
    id: runInput,
    callId: { ...whole("The call.", 0, 1_000_000), isRequired: true },
    returns: anything("Its value, as get_run shows values."),
    throws: text('Its error: "RangeError: no stock" or "410: gone".'),
    afterMs: whole("Its time.", 1, 60_000),
    recorded: text("Beans that return what was recorded: A,B"),
    headers: texts("In place of redacted ones."),
  }),
  output: "AgentSent",
  isReadOnly: false,
  async run(given, { client }): Promise<AgentSent> {
    const [returns, throws, afterMs] = [given.json("returns"), given.text("throws"), given.whole("afterMs")];
    if ((returns === undefined) === (throws === undefined) && (returns !== undefined || afterMs === undefined))
      throw new TerminalError("what_if takes returns, throws or afterMs: one outcome, and a time");
    const outcome: WhatIf = {
      call: given.whole("callId") ?? 0,
      ...(returns === undefined ? {} : { returns }),
      ...(throws === undefined ? {} : { throws: thrownOf(throws) }),
      ...(afterMs === undefined ? {} : { afterMs }),
    };
    const trace = await runNamed(client, given.text("id") ?? "");
    const beans = beansOf(given);
    const headers = given.texts("headers");
    return sentOf(await sendAgain(client, { trace, whatIf: [outcome], isProfiled: false, beans, headers }), given);
  },
};

/** The beans of `recorded`. */
export const beansOf = (given: ToolInput): readonly string[] =>
  (given.text("recorded") ?? "").split(",").filter((bean) => bean !== "");

/** `profile_run`. */
export const profileRun: Tool = {
  name: "profile_run",
  description:
    "Sends the request of a run again under V8's sampler and names the lines that took its time and memory: use it on a call with much own time, knowing that it may change data.",
  inputs: paged({
    id: runInput,
    recorded: text("Beans that return what was recorded: A,B"),
    headers: texts("In place of redacted ones."),
  }),
  output: "AgentProfile",
  isReadOnly: false,
  async run(given, { client }): Promise<AgentProfile> {
    const trace = await runNamed(client, given.text("id") ?? "");
    const asked = { trace, whatIf: [], isProfiled: true, beans: beansOf(given), headers: given.texts("headers") };
    const { run: profiled } = await sendAgain(client, asked);
    const { ownUs = 0, otherUs = 0, allocations = [] } = profiled.profile ?? {};
    const places = new Places(await client.read("sources"));
    const lines = profileRows(profiled).map(({ line, call, share }) => ({
      call: call === undefined ? null : places.call(call),
      line: placeText(line),
      us: line.us,
      share: Math.round(share * 1_000) / 1_000,
    }));
    const allocated = allocations.slice(0, 10).map((one) => ({ line: placeText(one), bytes: one.bytes }));
    const head = { run: runOf(profiled), ownUs, otherUs, allocated };
    const { items, next } = pageOf(lines, head, pagingOf("profile_run", given, { id: head.run.id }));
    return { ...head, lines: items, next, notice };
  },
};

/** `list_runs`. */
export const listRuns: Tool = {
  name: "list_runs",
  description:
    'Lists recorded runs, the newest first, by the search language of the dashboard such as status:5xx bean:OrderService arg.id=7 dur>20ms sql:"update": use it to find the run that shows a fault, and one that does not.',
  inputs: paged({
    query: text("What a run must have; empty for all."),
    limit: whole("So many at most; 20 without it.", 1, 100),
  }),
  output: "AgentRuns",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentRuns> {
    const cursor = given.text("cursor");
    if (cursor !== undefined && !/^[A-Za-z0-9-]{1,64}\.[1-9]\d{0,14}$/.test(cursor))
      throw new TerminalError(
        `${JSON.stringify(cursor.slice(0, 80))} is no cursor of list_runs: it is the next of an earlier call`,
      );
    const query = given.text("query") ?? "";
    const { hits, next, searched } = await client.search(query, given.whole("limit") ?? 20, cursor);
    const runs = hits.map((hit) => runOf(hit));
    // The cursor is the server's, which is a run. This page can only end before it.
    const page = pageOf(runs, {}, { tool: "list_runs", of: query, cursor: undefined, maxChars: roomOf(given) });
    return { runs: page.items, searched, next: page.next === null ? next : (page.items.at(-1)?.id ?? null), notice };
  },
};

/** `get_run`. */
export const getRun: Tool = {
  name: "get_run",
  description:
    "Reads one run: use summary for request and response, tree for every call, statement and log line in order, call for one of them with arguments, result, stack and code.",
  inputs: paged({
    id: runInput,
    view: oneOf(["summary", "tree", "call"], "summary without it."),
    callId: whole("The call, for the view of one.", 0, 1_000_000),
  }),
  output: "AgentRunView",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentRunView> {
    const trace = await runNamed(client, given.text("id") ?? "");
    const [run, view = "summary"] = [runOf(trace), given.text("view")];
    const [callId, room] = [given.whole("callId"), roomOf(given)];
    if (view === "tree") {
      const { items, next } = pageOf(linesOf(trace), { run }, pagingOf("get_run", given, { id: run.id, view }));
      return { run, tree: items, next, notice };
    }
    const about = { run, next: null, notice };
    if (given.text("cursor") !== undefined)
      throw new TerminalError(`the view ${view} has no pages: leave the cursor out`);
    if (view === "summary") return { ...about, summary: summaryOf(trace, room) };
    if (callId === undefined) throw new TerminalError("the view call needs callId: the tree has the ids");
    const call = trace.calls.find(({ id }) => id === callId);
    if (call === undefined) throw new TerminalError(`the run has no call ${callId}: the tree has the ids`);
    const places = new Places(await client.read("sources"));
    return { ...about, call: detailOf(trace, call, places, room) };
  },
};

/** `find_value`. */
export const findValue: Tool = {
  name: "find_value",
  description:
    "Finds where a value stands in a run, in the order in which it came there: use it to learn which call first had a wrong value.",
  inputs: paged({ id: runInput, text: text("The value, or a part of a text.", true) }),
  output: "AgentOccurrences",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentOccurrences> {
    const wanted = given.text("text") ?? "";
    if (wanted === "") throw new TerminalError("text of find_value is empty: a value is allowed");
    const trace = await runNamed(client, given.text("id") ?? "");
    const places = new Places(await client.read("sources"));
    const run = runOf(trace);
    const all = occurrencesOf(trace, wanted).map((one) => occurrenceOf(one, places));
    const [first = null] = all;
    const { items, next } = pageOf(all, { run, first }, pagingOf("find_value", given, { id: run.id, wanted }));
    return { run, first, found: items, total: all.length, next, notice };
  },
};

const occurrenceOf = ({ part, call, leaf, path, value, us }: Occurrence, places: Places): AgentOccurrence => ({
  part,
  call: call === null ? null : places.call(call),
  leaf: leaf?.id ?? null,
  path: cut(path, 200),
  value: valueText(value, 200),
  us,
});

/** How long an agent may wait. By default its own timeout is a minute. */
const MOST_WAIT_MS = 50_000;
const POLL_MS = 100;
/** The most runs that may complete between two looks. */
const MOST_BETWEEN = 100;

/** `wait_for_run`. */
export const waitForRun: Tool = {
  name: "wait_for_run",
  description:
    "Waits for the next run of a route, across restarts of the application: use it when somebody else sends the request, such as a browser or a test.",
  inputs: bounded({
    route: text('As list_routes has it, with its method: "GET /orders/{id}".', true),
    timeoutMs: whole("How long; 20000 without it.", 0, MOST_WAIT_MS),
  }),
  output: "AgentAwaited",
  isReadOnly: true,
  async run(given, { client, signal }): Promise<AgentAwaited> {
    const began = performance.now();
    const waited = (): number => Math.round(performance.now() - began);
    const timeoutMs = given.whole("timeoutMs") ?? 20_000;
    const query = `route=${JSON.stringify(given.text("route") ?? "")}`;
    await expectRoute(client, given);
    const [before] = (await client.search(query, 1)).hits;
    for (;;) {
      const { hits } = await client.search(query, MOST_BETWEEN).catch((error: unknown) => {
        // It is restarting.
        if (error instanceof TerminalError) return { hits: [] };
        throw error;
      });
      const first = hits.findLast((hit) => before === undefined || isBefore(before, hit));
      if (first !== undefined) return { run: runOf(first), waitedMs: waited(), notice };
      if (waited() >= timeoutMs || signal.aborted) return { run: null, waitedMs: waited(), notice };
      await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MS, Math.max(1, timeoutMs - waited()))));
    }
  },
};

/** A wait for a mistyped route would never end. */
async function expectRoute(client: DevtoolsClient, given: ToolInput): Promise<void> {
  const asked = given.text("route") ?? "";
  const routes = await client.read("routes");
  if (routes.some(({ method, path }) => `${method} ${path}` === asked)) return;
  throw new TerminalError(`${JSON.stringify(asked)} is no route: list_routes has them, as in "GET /orders/{id}"`);
}
