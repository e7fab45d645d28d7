/**
 * Traces as a case reads them: it sends a request with a unique name and waits for the trace with that name.
 *
 *   GET /users/7, X-Framework-Dev: <token> ──▶ …/api/requests until correlationId is <token> ──▶ response and trace
 *
 * Only the requested trace is checked against its shape, so a case depends only on its own request. A clause that is
 * independent of the names of a trace's members finds traces by their text (`visit`, `traceTexts`).
 *
 * Spec: spec/trace.md
 */
import { Type, type Static } from "typebox";
import { Trace } from "../../spec/trace.ts";
import type { HttpResponse } from "./response.ts";
import { requestsPath } from "./devtools.ts";
import type { Probe, SendOptions } from "./probe.ts";

/** One request, as shown by devtools. */
export type Trace = Static<typeof Trace>;
/** One call of a bean in it. */
export type Call = Trace["calls"][number];

const Listed = Type.Object({
  correlationId: Type.Union([Type.String(), Type.Null()]),
  path: Type.String(),
  sequence: Type.Number(),
  kind: Type.Optional(Type.String()),
});
const List = Type.Array(Listed);

/** The members of an entry that are needed to find it. */
export type Listed = Static<typeof Listed>;

/** A response and the trace of its request. */
export interface Traced {
  readonly response: HttpResponse;
  readonly trace: Trace;
}

/** All entries of the list, the most recent first. */
export async function listTraces(probe: Probe): Promise<readonly Listed[]> {
  return probe.json(List, await probe.send("GET", requestsPath));
}

/** Each trace of the list as text, the most recent first, for clauses that are independent of member names. */
export async function traceTexts(probe: Probe): Promise<readonly string[]> {
  const list = probe.json(Type.Array(Type.Unknown()), await probe.send("GET", requestsPath));
  return list.map((listed) => JSON.stringify(listed));
}

/** Sends a GET for a unique path, and waits until the list contains it. */
export async function visit(probe: Probe, path: string): Promise<HttpResponse> {
  const response = await probe.send("GET", path);
  await entriesWith(probe, path);
  return response;
}

/** The trace that `isIt` accepts, as soon as it exists. The most recent if there are several. */
export async function traceWhere(probe: Probe, isIt: (listed: Listed) => boolean): Promise<Trace> {
  const found = await probe.eventually("its trace", async () => (await listTraces(probe)).find(isIt));
  return probe.shape("the trace", Trace, found);
}

/**
 * The list as texts, the most recent first, as soon as this word occurs anywhere in it. For clauses that also bind
 * implementations with other field names.
 */
export async function entriesWith(probe: Probe, word: string): Promise<readonly string[]> {
  return probe.eventually("its trace", async () => {
    const entries = await traceTexts(probe);
    return entries.some((entry) => entry.includes(word)) ? entries : undefined;
  });
}

/** Sends a request and waits for its trace. It finds it by `X-Framework-Dev`, so the request must not set that header. */
export async function traced(probe: Probe, method: string, target: string, options: SendOptions = {}): Promise<Traced> {
  const token = probe.token();
  const headers = { ...options.headers, "x-framework-dev": token };
  const response = await probe.send(method, target, { ...options, headers });
  return { response, trace: await traceWhere(probe, ({ correlationId }) => correlationId === token) };
}
