/** Devtools, by HTTP: the endpoints, and what an application is spared. Spec: devtools.md (DEV). */
import { isDeepStrictEqual } from "node:util";
import { Type } from "typebox";
import { BeanGraph } from "../../spec/graph.ts";
import { TraceList } from "../../spec/trace.ts";
import { proves } from "../kit/case.ts";
import { asJson, documents, endpoints, graphPath, page, Problem, requestsPath, streamPath } from "../kit/devtools.ts";
import type { HttpResponse } from "../kit/response.ts";
import type { Probe } from "../kit/probe.ts";
import { entriesWith, listTraces, traced } from "../kit/traces.ts";

const Any = Type.Unknown();
const Anything = Type.Array(Any);
const AnyEvidence = Type.Object({ logs: Anything, spans: Anything, metrics: Type.Object({ routes: Anything }) });

/** Several requests, one after the other: a row for each. */
async function rows<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await ask(item));
  return results;
}

/** Sends a request; the word by which its trace is known. */
async function visit(probe: Probe, path: string): Promise<string> {
  const word = probe.token();
  await probe.send("GET", `${path}?about=${word}`);
  return word;
}

const isOfDevtools = (value: unknown): boolean => JSON.stringify(value).includes(page);
const otherMethods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

/** The cases of this chapter, but for the page and the routes. */
export const devtools = [
  proves("DEV-003", "serves the graph", async (probe) => {
    const response = await probe.send("GET", graphPath, { headers: asJson });
    probe.equal("the status", response.status, 200);
    probe.json(BeanGraph, response);
  }),

  proves("DEV-004", "lists traces, the most recent first", async (probe) => {
    const sent = [`/users/${probe.token()}`, `/users/${probe.token()}`];
    for (const path of sent) await traced(probe, "GET", path);
    const response = await probe.send("GET", requestsPath, { headers: asJson });
    const listed = probe.json(TraceList, response).map(({ path }) => path);
    const mine = listed.filter((path) => sent.includes(path));
    probe.equal("status and my paths", [response.status, mine], [200, sent.toReversed()]);
  }),

  proves("DEV-005", "keeps the last 100 traces", async (probe) => {
    const name = probe.token();
    const paths = Array.from({ length: 104 }, (_, at) => `/users/${name}/posts/kept-${at}`);
    for (let at = 0; at < paths.length; at += 26)
      await Promise.all(paths.slice(at, at + 26).map((path) => probe.send("GET", path)));
    const last = (await traced(probe, "GET", "/users/last-kept")).trace;
    const listed = await probe.eventually("the trace of each", async () => {
      const found = await listTraces(probe);
      return found[0]?.correlationId === last.correlationId ? found : undefined;
    });
    const sequences = listed.map(({ sequence }) => sequence);
    const expected = Array.from({ length: 100 }, (_, at) => last.sequence - at);
    probe.equal("the sequences listed", sequences, expected);
  }),

  proves("DEV-006", "responds to HEAD as to GET, without a body", async (probe) => {
    const heads = await rows(endpoints, async (path) => {
      const { status, type, text } = await probe.send("HEAD", path);
      return [status, type, text];
    });
    const types = ["text/html", "application/json", "application/json", "application/json", "text/event-stream"];
    probe.equal(
      "status, type and body of HEAD",
      heads,
      types.map((type) => [200, type, ""]),
    );
  }),

  proves("DEV-007", "rejects other methods with 405, Allow and a Problem", async (probe) => {
    const asked = endpoints.flatMap((path) => otherMethods.map((method) => ({ method, path })));
    const responses = await rows(asked, async ({ method, path }) => {
      const response = await probe.send(method, path);
      const { status } = probe.json(Problem, response);
      return [`${method} ${path}`, response.status, response.set("allow"), response.type, status];
    });
    const expected = asked.map(({ method, path }) => [
      `${method} ${path}`,
      405,
      ["get", "head"],
      "application/problem+json",
      405,
    ]);
    probe.equal("status, Allow, type and the Problem's status", responses, expected);
  }),

  proves("DEV-008", "rejects an unknown path of devtools with 404 and a Problem", async (probe) => {
    const unknown = [`${page}/${probe.token()}`, `${page}/api`, `${graphPath}/nodes`];
    const responses = await rows(unknown, async (path) => {
      const response = await probe.send("GET", path);
      const { status } = probe.json(Problem, response);
      return [response.status, response.type, response.set("cache-control").includes("no-store"), status];
    });
    const expected = unknown.map(() => [404, "application/problem+json", true, 404]);
    probe.equal("status, type, and that devtools responded", responses, expected);
  }),

  proves("DEV-009", "says that its JSON is JSON in UTF-8", async (probe) => {
    const types = await rows(documents.slice(1), async (path) => {
      const { type, charset } = await probe.send("GET", path, { headers: asJson });
      return `${type ?? ""} ${charset ?? ""}`;
    });
    probe.equal("the types", types, Array(3).fill("application/json utf-8"));
  }),

  proves("DEV-010", "takes no notice of a query", async (probe) => {
    const query = "?limit=1&offset=1&method=POST&path=/none&format=text";
    for (const way of ["first", "second"]) await entriesWith(probe, await visit(probe, `/users/1/posts/${way}`));
    const read = ({ type, text }: HttpResponse): unknown =>
      type === "text/html" ? text : probe.parse("the body", Any, text);
    const found = await rows(documents, async (path) => {
      const [plain, asked] = [await probe.send("GET", path), await probe.send("GET", `${path}${query}`)];
      return [path, asked.status === plain.status && isDeepStrictEqual(read(asked), read(plain))];
    });
    const { status } = (await probe.stream(`${streamPath}${query}`)).response;
    const same = documents.map((path) => [path, true]);
    probe.equal("whether each is the same, and the stream's status", [found, status], [same, 200]);
  }),

  proves("DEV-011", "traces no request to devtools", async (probe) => {
    const paths = [...documents, `${page}/unknown`];
    for (const path of paths) await probe.send("GET", path, { headers: { "x-framework-dev": probe.token() } });
    const entries = await entriesWith(probe, await visit(probe, "/users/untraced"));
    const own = paths.filter((path) => entries.some((entry) => entry.includes(`"${path}"`)));
    probe.equal("the paths of devtools that are traced", own, []);
  }),

  proves("DEV-012", "leaves no line, metric or span of a request to devtools", async (probe) => {
    await probe.reset();
    for (const path of [...documents, `${page}/unknown`]) await probe.send("GET", path);
    const name = `silent-${probe.token()}`;
    await probe.send("GET", `/users/${name}`);
    const { logs, spans, metrics } = await probe.eventually("evidence of a request to the application", async () => {
      const found = probe.json(AnyEvidence, await probe.send("GET", "/__subject/evidence"));
      return JSON.stringify([found.logs, found.spans]).includes(name) ? found : undefined;
    });
    const left = metrics.routes.filter((entry) => /UNMATCHED/.test(JSON.stringify(entry)) || isOfDevtools(entry));
    const expected = { lines: [], metrics: [], spans: [] };
    const lines = logs.filter(isOfDevtools);
    probe.equal("what devtools left", { lines, metrics: left, spans: spans.filter(isOfDevtools) }, expected);
  }),

  proves("DEV-013", "leaves a path alone that only begins like its own", async (probe) => {
    const paths = ["/framework/developers", `${page}-${probe.token()}`];
    const found = await rows(paths, async (path) => {
      const { response, trace } = await traced(probe, "GET", path);
      return [response.status, trace.path, trace.status];
    });
    probe.equal(
      "status and trace of each",
      found,
      paths.map((path) => [404, path, 404]),
    );
  }),

  proves(
    "DEV-019",
    "is not there when it is switched off",
    async (probe) => {
      const { status: ordinary } = await probe.send("GET", "/users/ordinary");
      const found = await rows([...endpoints, `${page}/unknown`], async (path) => [
        (await probe.send("GET", path)).status,
        (await probe.send("DELETE", path)).status,
      ]);
      const missing = [...endpoints, ""].map(() => [404, 404]);
      probe.equal("an ordinary route, GET and DELETE of devtools", [ordinary, found], [200, missing]);
    },
    { profile: "production" },
  ),
];
