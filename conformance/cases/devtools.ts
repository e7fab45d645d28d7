/** Devtools over HTTP: the endpoints, and what they must not change in the application. Spec: devtools.md (DEV). */
import { Type } from "typebox";
import { proves } from "../kit/case.ts";
import { documents, page, whyPath } from "../kit/devtools.ts";
import { listTraces, traced } from "../kit/traces.ts";

const Any = Type.Unknown();
const Anything = Type.Array(Any);
const AnyEvidence = Type.Object({ logs: Anything, spans: Anything, metrics: Type.Object({ routes: Anything }) });

const Explained = Type.Object({
  rows: Type.Array(Type.Object({ message: Type.String() })),
  parts: Type.Array(Type.Object({ us: Type.Integer({ minimum: 0 }) })),
});
const Problem = Type.Object({ status: Type.Integer(), missing: Type.Optional(Type.Array(Type.String())) });

const isOfDevtools = (value: unknown): boolean => JSON.stringify(value).includes(page);

/** The cases of this chapter that are not vectors. */
export const devtools = [
  proves("DEV-005", "keeps the last 100 traces, at most 25 of them of other runs than requests", async (probe) => {
    const name = probe.token();
    const paths = Array.from({ length: 104 }, (_, at) => `/users/${name}/posts/kept-${at}`);
    for (let at = 0; at < paths.length; at += 26)
      await Promise.all(paths.slice(at, at + 26).map((path) => probe.send("GET", path)));
    const last = (await traced(probe, "GET", "/users/last-kept")).trace;
    const listed = await probe.eventually("the trace of each", async () => {
      const found = await listTraces(probe);
      return found[0]?.correlationId === last.correlationId ? found : undefined;
    });
    const requests = listed.filter(({ kind }) => kind === undefined);
    const others = listed.length - requests.length;
    probe.equal("how many are listed", [listed.length, Math.max(25, others)], [100, 25]);
    // Requests of one batch may complete in any order, and those of the last batches are kept in any case.
    const listedPaths = requests.map(({ path }) => path);
    const certain = paths.slice(52);
    probe.equal(
      "the last requests",
      listedPaths.filter((path) => certain.includes(path)).toSorted(),
      certain.toSorted(),
    );
  }),

  proves("DEV-012", "records no line, metric or span for a request to devtools", async (probe) => {
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

  proves("DEV-090", "explains a run by its key, and one that is sent", async (probe) => {
    const { trace } = await traced(probe, "GET", "/boom");
    const run = `${trace.instance}.${trace.sequence}`;
    const texts: string[] = [];
    for (const sent of [run, trace]) {
      const response = await probe.send("POST", whyPath, { json: { run: sent, own: null, good: null, others: [] } });
      probe.equal("the status", response.status, 200);
      const { rows, parts } = probe.json(Explained, response);
      probe.equal(
        "the time of all parts",
        parts.reduce((sum, { us }) => sum + us, 0),
        trace.durationUs,
      );
      texts.push(rows.map(({ message }) => message).join("\n"));
    }
    probe.equal("whether the error is named", texts[0]?.includes(trace.error?.message ?? "no error"), true);
    probe.equal("the explanation of the same run, sent whole", texts[1], texts[0]);
  }),

  proves("DEV-091", "names the runs that are not held", async (probe) => {
    const { trace } = await traced(probe, "GET", "/users/held");
    const held = `${trace.instance}.${trace.sequence}`;
    const unknown = `${trace.instance}.999999999`;
    const json = { run: held, own: null, good: unknown, others: [held, "nobody.1"] };
    const response = await probe.send("POST", whyPath, { json });
    const { status, missing = [] } = probe.json(Problem, response);
    probe.equal("the status", [response.status, status], [404, 404]);
    probe.equal("what is missing", missing.toSorted(), ["nobody.1", unknown].toSorted());
  }),

  proves("DEV-092", "rejects what is no question", async (probe) => {
    for (const json of [
      null,
      [],
      {},
      { run: 1, own: null, good: null, others: [] },
      { run: {}, own: null, good: null, others: [] },
    ]) {
      const response = await probe.send("POST", whyPath, { json });
      probe.equal("the status", [response.status, probe.json(Problem, response).status], [400, 400]);
    }
  }),

  proves("DEV-093", "takes POST alone", async (probe) => {
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const response = await probe.send(method, whyPath);
      const { status } = probe.json(Problem, response);
      probe.equal("the response", [response.status, status, response.header("allow")], [405, 405, "POST"]);
    }
  }),
];
