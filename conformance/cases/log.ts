/** The access log, as reported by the subject. Spec: log.md (LOG). */
import { Type } from "typebox";
import { AccessLogLine } from "../../spec/log.ts";
import { proves } from "../kit/case.ts";
import { isLasting, logsOf, sendTagged, spansOf } from "../kit/evidence.ts";
import type { Probe } from "../kit/probe.ts";

const AnyLogs = Type.Object({ logs: Type.Array(Type.Unknown()) });

/** The members of a line that the document lists. A line may have more. */
const Listed = Type.Object({ method: Type.String(), path: Type.String(), status: Type.Integer() });

/** A subject may run on another machine with a slightly different clock. */
const hour = 3_600_000;

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The line of a QUERY, in any format. */
async function searchLine(probe: Probe): Promise<unknown> {
  await probe.send("QUERY", "/search", { json: {} });
  return probe.eventually("its line", async () => {
    const { logs } = probe.json(AnyLogs, await probe.send("GET", "/__subject/evidence"));
    return logs.find((found) => JSON.stringify(found).includes("/search"));
  });
}

/** The cases of this chapter. */
export const log = [
  proves("LOG-001", "writes exactly one line for every request", async (probe) => {
    const tag = probe.token();
    const targets = ["/users/1", "/boom", "/fail/404", "/events/3", `/${tag}`, "/health", "/search"];
    for (const target of targets) await sendTagged(probe, tag, "GET", target);
    const lines = await logsOf(probe, tag, targets.length);
    probe.equal("the paths", lines.map(({ path }) => path).toSorted(), targets.toSorted());
  }),

  proves("LOG-003", "is an object with method, path and status", async (probe) => {
    const line = await searchLine(probe);
    const { method, path, status } = probe.shape("the line", Listed, line);
    probe.equal("method, path and status", [method, path, status], ["QUERY", "/search", 200]);
  }),

  proves("LOG-038", "matches its shape", async (probe) => {
    const line = await searchLine(probe);
    probe.shape("the line", AccessLogLine, line);
  }),

  proves("LOG-005", "has path, user agent and ids as received", async (probe) => {
    const id = probe.token();
    const userAgent = String.raw`agent "quoted" \back ${id}`;
    const path = `/users/%22%0A%C3%A9'${id}`;
    await probe.send("GET", path, { headers: { "user-agent": userAgent } });
    const line = await probe.logOf((found) => found.userAgent === userAgent);
    probe.equal("the path", line.path, path);
  }),

  // The specification does not say which character such a byte becomes.
  proves("LOG-005", "has a user agent with a non-ASCII byte", async (probe) => {
    const id = probe.token();
    await probe.send("GET", `/users/${id}`, { headers: { "user-agent": `caf\u00e9 ${id}` } });
    const { userAgent } = await probe.logOf((found) => found.path === `/users/${id}`);
    probe.ok(
      "it begins and ends as it was received",
      /^caf.+ \w+$/.test(userAgent ?? "") && userAgent?.endsWith(id) === true,
      userAgent,
    );
  }),

  proves("LOG-007", "has the raw target without its query, cut at 2,048 characters", async (probe) => {
    const tag = probe.token();
    await sendTagged(probe, tag, "GET", "/users/a%20b?c=d");
    await sendTagged(probe, tag, "GET", `/files/${"x".repeat(3_000)}`);
    const paths = (await logsOf(probe, tag, 2)).map(({ path }) => path);
    probe.equal("the paths", paths, ["/users/a%20b", `/files/${"x".repeat(2_041)}`]);
  }),

  proves("LOG-008", "has the id of the request", async (probe) => {
    const [tag, id] = [probe.token(), probe.token()];
    await sendTagged(probe, tag, "GET", "/users/1", { headers: { "x-request-id": id } });
    const given = (await sendTagged(probe, tag, "GET", "/users/2")).header("x-request-id");
    const ids = (await logsOf(probe, tag, 2)).map(({ requestId }) => requestId);
    probe.equal("the ids, and whether the second is one", [...ids, given !== undefined], [id, given, true]);
  }),

  proves(
    "LOG-039",
    "has no request id if the request has none",
    async (probe) => {
      const tag = probe.token();
      await sendTagged(probe, tag, "GET", "/users/1", { headers: { "x-request-id": "given" } });
      const lines = await logsOf(probe, tag, 1);
      probe.equal(
        "the request ids",
        lines.map(({ requestId }) => requestId),
        [undefined],
      );
    },
    { profile: "no-request-id" },
  ),

  proves("LOG-013", "has the status that was sent", async (probe) => {
    const tag = probe.token();
    const sent: number[] = [];
    for (const target of [`/${tag}`, "/echo", "/boom", "/fail/418", "/slow/never"]) {
      sent.push((await sendTagged(probe, tag, "GET", target)).status);
    }
    sent.push((await sendTagged(probe, tag, "POST", "/echo", { body: "x" })).status);
    const logged = (await logsOf(probe, tag, sent.length)).map(({ status }) => status);
    probe.equal("the statuses logged", logged, sent);
  }),

  proves("LOG-035", "has the ids of the span", async (probe) => {
    const tag = probe.token();
    await sendTagged(probe, tag, "GET", "/users/1", { headers: { traceparent } });
    await sendTagged(probe, tag, "GET", "/users/2");
    const logged = (await logsOf(probe, tag, 2)).map((line) => [line.traceId, line.spanId]);
    const spans = (await spansOf(probe, tag, 2)).map((span) => [span.traceId, span.spanId]);
    probe.equal("trace id and span id of each", logged, spans);
  }),

  proves("LOG-036", "has the user agent, or none if the request has none", async (probe) => {
    const [path, tag] = [`/users/${probe.token()}`, probe.token()];
    for (const name of ["first", "second"]) await sendTagged(probe, `${tag} ${name}`, "GET", path);
    await probe.send("GET", path);
    const agents = await probe.eventually("three log lines", async () => {
      const found = await probe.logs((line) => line.path === path);
      return found.length === 3 ? found.map(({ userAgent }) => userAgent) : undefined;
    });
    probe.equal("the user agents", agents, [`${tag} first`, `${tag} second`, undefined]);
  }),

  proves("LOG-030", "has the time when it was written", async (probe) => {
    const tag = probe.token();
    for (const target of ["/users/1", "/slow/60", "/users/2"]) await sendTagged(probe, tag, "GET", target);
    const times = (await logsOf(probe, tag, 3)).map(({ time }) => Date.parse(time));
    const [first = 0, slow = 0, last = 0] = times;
    const seen = [slow - first >= 50, last >= slow, Math.abs(Date.now() - last) < hour];
    probe.equal("whether the slow one came later, the last after it, and all within the hour", seen, [
      true,
      true,
      true,
    ]);
  }),

  // The clock may only advance during I/O (workerd), so a quick request may take no time at all.
  proves("LOG-031", "has the duration of the request", async (probe) => {
    const tag = probe.token();
    await sendTagged(probe, tag, "GET", "/users/1");
    const began = performance.now();
    await sendTagged(probe, tag, "GET", "/slow/60");
    const elapsedUs = (performance.now() - began) * 1_000;
    const [quick, slow] = (await logsOf(probe, tag, 2)).map(({ durationUs }) => durationUs);
    const seen = [quick !== undefined && quick >= 0 && quick < (slow ?? 0), isLasting(slow, 60_000, elapsedUs)];
    probe.equal("whether the quick one is quicker, and the slow one takes its time", seen, [true, true]);
  }),

  proves("LOG-032", "counts the bytes of the body", async (probe) => {
    const tag = probe.token();
    const sent: number[] = [];
    for (const target of ["/big/1000", "/big/0", "/big/7", "/events/3", "/big/9", "/returns/nothing"])
      sent.push((await sendTagged(probe, tag, "GET", target)).bytes.length);
    sent.push((await sendTagged(probe, tag, "HEAD", "/big/1000")).bytes.length);
    const logged = (await logsOf(probe, tag, sent.length)).map(({ bytes }) => bytes);
    probe.equal("the bytes logged", logged, sent);
  }),

  proves("LOG-033", "names the pattern of the route, or none if none matched", async (probe) => {
    const tag = probe.token();
    for (const target of ["/users/1", "/files/a/b", "/api/search", `/${tag}`])
      await sendTagged(probe, tag, "GET", target);
    const routes = (await logsOf(probe, tag, 4)).map(({ route }) => route);
    probe.equal("the routes", routes, ["/users/{id}", "/files/*path", "/api/search", null]);
  }),

  proves("LOG-034", "has no abort if there was none", async (probe) => {
    const tag = probe.token();
    for (const target of ["/users/1", "/boom", "/events/3", `/${tag}`]) await sendTagged(probe, tag, "GET", target);
    const aborted = (await logsOf(probe, tag, 4)).filter((line) => "aborted" in line);
    probe.equal("the lines that speak of an abort", aborted, []);
  }),

  proves("LOG-019", "names an unknown method _OTHER", async (probe) => {
    const tag = probe.token();
    for (const method of ["PROPFIND", "GET", "QUERY"]) await sendTagged(probe, tag, method, "/users/1");
    const methods = (await logsOf(probe, tag, 3)).map(({ method }) => method);
    probe.equal("the methods", methods, ["_OTHER", "GET", "QUERY"]);
  }),

  proves("LOG-014", "has 499 for a client that left before the head, and says so", async (probe) => {
    const tag = probe.token();
    const request = probe.begin("GET", "/slow/5000", { headers: { "user-agent": tag } });
    await probe.underWay();
    request.leave();
    const lines = await logsOf(probe, tag, 1);
    probe.equal(
      "status and aborted",
      lines.map(({ status, aborted }) => [status, aborted]),
      [[499, true]],
    );
  }),

  proves("LOG-014", "has the status sent for a client that left later, and says so", async (probe) => {
    const tag = probe.token();
    const request = probe.begin("GET", "/events/1000000", { headers: { "user-agent": tag } });
    await request.head();
    request.leave();
    const lines = await logsOf(probe, tag, 1);
    probe.equal(
      "status and aborted",
      lines.map(({ status, aborted }) => [status, aborted]),
      [[200, true]],
    );
  }),

  proves("LOG-015", "has one line for a request that the parser rejected", async (probe) => {
    await probe.raw("NO HTTP\r\n\r\n", { responses: 1 });
    await probe.send("GET", "/users/1");
    await probe.logOf(({ path }) => path === "/users/1");
    const rejected = await probe.eventually("its line", async () => {
      const found = await probe.logs(({ path }) => path === "");
      return found.length > 0 ? found : undefined;
    });
    const seen = rejected.map((line) => [
      line.method,
      line.route,
      line.status,
      line.traceId,
      line.spanId,
      line.requestId,
    ]);
    const none = [undefined, undefined, undefined];
    probe.equal("method, route, status and ids", seen, [["_OTHER", null, 400, ...none]]);
  }),

  proves("LOG-016", "contains no other header, no body and no query", async (probe) => {
    const [tag, secret] = [probe.token(), "a-secret-of-the-client"];
    await sendTagged(probe, tag, "POST", `/echo?key=${secret}`, {
      headers: { authorization: `Bearer ${secret}`, cookie: `session=${secret}`, "x-secret": secret },
      json: { secret },
    });
    const text = JSON.stringify(await logsOf(probe, tag, 1));
    probe.equal(
      "whether the line has the path, and a secret",
      [text.includes("/echo"), text.includes(secret)],
      [true, false],
    );
  }),
];
