/** The access log, as the subject reveals it. Spec: log.md (LOG). */
import { Type } from "typebox";
import { AccessLogLine } from "../../spec/log.ts";
import { proves } from "../kit/case.ts";
import { logsOf, sendTagged } from "../kit/evidence.ts";

const AnyLogs = Type.Object({ logs: Type.Array(Type.Unknown()) });

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The cases of this chapter. */
export const log = [
  proves("LOG-001", "leaves exactly one line of every request", async (probe) => {
    const tag = probe.token();
    const targets = ["/users/1", "/boom", "/fail/404", "/events/3", `/${tag}`, "/health", "/search"];
    for (const target of targets) await sendTagged(probe, tag, "GET", target);
    const lines = await logsOf(probe, tag, targets.length);
    probe.equal("the paths", lines.map(({ path }) => path).toSorted(), targets.toSorted());
  }),

  proves("LOG-003", "is an object with method, path and status", async (probe) => {
    await probe.send("QUERY", "/search", { json: {}, headers: { "user-agent": "one-line" } });
    const line = await probe.eventually("its line", async () => {
      const { logs } = probe.json(AnyLogs, await probe.send("GET", "/__subject/evidence"));
      return logs.find((found) => JSON.stringify(found).includes("one-line"));
    });
    const { method, path, status } = probe.shape("the line", AccessLogLine, line);
    probe.equal("method, path and status", [method, path, status], ["QUERY", "/search", 200]);
  }),

  proves("LOG-005", "gives back path, user agent and ids as they were received", async (probe) => {
    const id = probe.token();
    const userAgent = String.raw`agent "quoted" \back ${id}`;
    const path = `/users/%22%0A%C3%A9'${id}`;
    await probe.send("GET", path, { headers: { "user-agent": userAgent, "x-request-id": id } });
    const line = await probe.logOf(({ requestId }) => requestId === id);
    probe.equal("path and user agent", [line.path, line.userAgent], [path, userAgent]);
  }),

  proves("LOG-007", "has the raw target without its query, cut at 2,048 characters", async (probe) => {
    const tag = probe.token();
    await sendTagged(probe, tag, "GET", "/users/a%20b?c=d");
    await sendTagged(probe, tag, "GET", `/files/${"x".repeat(3_000)}`);
    const paths = (await logsOf(probe, tag, 2)).map(({ path }) => path);
    probe.equal("the paths", paths, ["/users/a%20b", `/files/${"x".repeat(2_041)}`]);
  }),

  proves("LOG-008", "has the ids of the request", async (probe) => {
    const [tag, id] = [probe.token(), probe.token()];
    await sendTagged(probe, tag, "GET", "/users/1", { headers: { "x-request-id": id, traceparent } });
    const [line] = await logsOf(probe, tag, 1);
    const seen = [line?.requestId, line?.traceId, /^[0-9a-f]{16}$/.test(line?.spanId ?? "")];
    probe.equal("request id, trace id, and whether there is a span id", seen, [id, traceparent.slice(3, 35), true]);
  }),

  proves(
    "LOG-008",
    "has no request id where the request has none",
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

  proves("LOG-013", "has the status that went over the wire", async (probe) => {
    const tag = probe.token();
    const sent: number[] = [];
    for (const target of [`/${tag}`, "/echo", "/boom", "/fail/418", "/users/%zz"]) {
      sent.push((await sendTagged(probe, tag, "GET", target)).status);
    }
    sent.push((await sendTagged(probe, tag, "POST", "/echo", { body: "x" })).status);
    const logged = (await logsOf(probe, tag, sent.length)).map(({ status }) => status);
    probe.equal("the statuses logged", logged, sent);
  }),

  proves("LOG-014", "has 499 for a client that left before the head, and says so", async (probe) => {
    const tag = probe.token();
    const request = probe.begin("GET", "/slow/5000", { headers: { "user-agent": tag } });
    await probe.eventually("the request under way", async () =>
      (await probe.evidence()).metrics.activeRequests > 0 ? true : undefined,
    );
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

  proves("LOG-015", "has one line of a request that the parser rejected", async (probe) => {
    await probe.raw("NO HTTP\r\n\r\n", { responses: 1 });
    await probe.send("GET", "/users/1");
    const lines = await probe.eventually("two lines", async () => {
      const { logs } = await probe.evidence();
      return logs.length >= 2 ? logs : undefined;
    });
    const rejected = lines.filter(({ path }) => path === "");
    const seen = rejected.map(({ method, route, status }) => [method, route, status]);
    probe.equal("method, route and status", seen, [["_OTHER", null, 400]]);
  }),

  proves("LOG-016", "holds no other header, no body and no query", async (probe) => {
    const [tag, secret] = [probe.token(), "a-secret-of-the-client"];
    await sendTagged(probe, tag, "POST", `/echo?key=${secret}`, {
      headers: { authorization: `Bearer ${secret}`, cookie: `session=${secret}`, "x-secret": secret },
      json: { secret },
    });
    const text = JSON.stringify(await logsOf(probe, tag, 1));
    probe.equal(
      "whether the line has the user agent, and a secret",
      [text.includes(tag), text.includes(secret)],
      [true, false],
    );
  }),
];
