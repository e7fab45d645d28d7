/**
 * Traces as a case reads them: send a request under a name of its own, wait for the trace of that name.
 *
 *   GET /users/7, X-Framework-Dev: <token> ──▶ …/api/requests until correlationId is <token> ──▶ response and trace
 *
 * Only the trace that was asked for is held to its shape, so that a case depends on its own request alone. A clause that holds
 * whatever the members of a trace are called knows traces by their text (`visit`, `traceTexts`).
 *
 * Spec: spec/trace.md
 */
import { Type, type Static } from "typebox";
import { Trace } from "../../spec/trace.ts";
import type { HttpResponse } from "./response.ts";
import { requestsPath } from "./devtools.ts";
import type { Probe, SendOptions } from "./probe.ts";

/** One request as devtools show it. */
export type Trace = Static<typeof Trace>;
/** One call of a bean in it. */
export type Call = Trace["calls"][number];

const Listed = Type.Object({
  correlationId: Type.Union([Type.String(), Type.Null()]),
  path: Type.String(),
  sequence: Type.Number(),
});
const List = Type.Array(Listed);

/** An entry of the list, as far as it is needed to find it. */
export type Listed = Static<typeof Listed>;

/** A response and the trace of the request that it belongs to. */
export interface Traced {
  readonly response: HttpResponse;
  readonly trace: Trace;
}

/** Everything in the list, the most recent first. */
export async function listTraces(probe: Probe): Promise<readonly Listed[]> {
  return probe.json(List, await probe.send("GET", requestsPath));
}

/** Each trace of the list as a text, the most recent first: for clauses that hold whatever its members are called. */
export async function traceTexts(probe: Probe): Promise<readonly string[]> {
  const list = probe.json(Type.Array(Type.Unknown()), await probe.send("GET", requestsPath));
  return list.map((listed) => JSON.stringify(listed));
}

/** Sends a GET for a path that no other request has, and waits until the list speaks of it. */
export async function visit(probe: Probe, path: string): Promise<HttpResponse> {
  const response = await probe.send("GET", path);
  await entriesWith(probe, path);
  return response;
}

/** The trace that `isIt` accepts, as soon as it is there; the most recent when there are several. */
export async function traceWhere(probe: Probe, isIt: (listed: Listed) => boolean): Promise<Trace> {
  const found = await probe.eventually("its trace", async () => (await listTraces(probe)).find(isIt));
  return probe.shape("the trace", Trace, found);
}

/**
 * The list as texts, the most recent first, as soon as this word stands in it, wherever it stands: for clauses that bind
 * an implementation whose fields have other names.
 */
export async function entriesWith(probe: Probe, word: string): Promise<readonly string[]> {
  return probe.eventually("its trace", async () => {
    const entries = await traceTexts(probe);
    return entries.some((entry) => entry.includes(word)) ? entries : undefined;
  });
}

/** Sends a request and waits for its trace. It is found by `X-Framework-Dev`, which the request must not set. */
export async function traced(probe: Probe, method: string, target: string, options: SendOptions = {}): Promise<Traced> {
  const token = probe.token();
  const headers = { ...options.headers, "x-framework-dev": token };
  const response = await probe.send(method, target, { ...options, headers });
  return { response, trace: await traceWhere(probe, ({ correlationId }) => correlationId === token) };
}
