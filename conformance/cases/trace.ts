/** Traces, by HTTP: which request a trace is of, and how it ended. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";
import { traced, traceTexts, traceWhere, visit, type Trace } from "../kit/traces.ts";

/** The traces of several requests, one after the other. */
async function traces(
  probe: Probe,
  requests: readonly (readonly [method: string, target: string, options?: SendOptions])[],
): Promise<readonly Trace[]> {
  const found: Trace[] = [];
  for (const [method, target, options] of requests) found.push((await traced(probe, method, target, options)).trace);
  return found;
}

/** What `correlationId` is for a request with these `X-Framework-Dev` lines. */
async function correlationOf(probe: Probe, lines: readonly string[]): Promise<string | null> {
  const path = `/users/${probe.token()}`;
  await probe.send("GET", `${path}?about=correlation`, { headers: { "x-framework-dev": lines } });
  return (await traceWhere(probe, (listed) => listed.path === path)).correlationId;
}

/** The cases of what a trace is of. */
export const trace = [
  proves("TRACE-001", "gives one trace for each request, whatever handled it", async (probe) => {
    const paths = ["/health", `/${probe.token()}`, `/users/${probe.token()}`];
    for (const path of paths) await visit(probe, path);
    const listed = await traceTexts(probe);
    const counts = paths.map((path) => listed.filter((text) => text.includes(path)).length);
    probe.equal("how many traces each has", counts, [1, 1, 1]);
  }),

  proves("TRACE-002", "has the id that the request has", async (probe) => {
    const seen = [await traced(probe, "GET", "/users/7?about=id"), await traced(probe, "GET", "/users/8?about=id")];
    const ids = seen.map(({ trace: found }) => found.id);
    probe.equal(
      "the ids",
      ids,
      seen.map(({ response }) => response.header("x-request-id")),
    );
  }),

  proves(
    "TRACE-003",
    "has the correlation id for an id where requests have none",
    async (probe) => {
      const { trace: found } = await traced(probe, "GET", "/users/7?about=id");
      probe.equal("the id", found.id, found.correlationId);
    },
    { profile: "no-request-id" },
  ),

  proves(
    "TRACE-004",
    "has an id of its own where the request names none that is valid",
    async (probe) => {
      const paths = [`/users/${probe.token()}`, `/users/${probe.token()}`];
      const invalid = { headers: { "x-framework-dev": "two words" } };
      for (const path of paths) await probe.send("GET", `${path}?about=own-id`, invalid);
      const ids: string[] = [];
      for (const path of paths) ids.push((await traceWhere(probe, (listed) => listed.path === path)).id);
      probe.equal(
        "different ids, and those that were sent",
        [new Set(ids).size, ids.includes("two words")],
        [2, false],
      );
    },
    { profile: "no-request-id" },
  ),

  proves("TRACE-005", "has the correlation id that is valid and alone", async (probe) => {
    const [short, long] = [`${probe.token()}-A.z_9`, probe.token().repeat(8)];
    const rows: readonly (readonly string[])[] = [
      [short],
      [long],
      [`${long}x`],
      ["a b"],
      ["a,b"],
      ["a:b"],
      ["é"],
      [short, short],
    ];
    const found: (string | null)[] = [];
    for (const lines of rows) found.push(await correlationOf(probe, lines));
    probe.equal("the correlation ids", found, [short, long, null, null, null, null, null, null]);
  }),

  proves("TRACE-006", "numbers traces in the order in which requests end", async (probe) => {
    const [slow, fast] = await Promise.all([
      traced(probe, "GET", "/slow/40?about=order"),
      traced(probe, "GET", "/users/7?about=order"),
    ]);
    const { instance, sequence } = fast.trace;
    probe.equal("the slow one", [slow.trace.instance, slow.trace.sequence], [instance, sequence + 1]);
  }),

  proves("TRACE-007", "names the pattern of the route, and none where none matched", async (probe) => {
    const found = await traces(probe, [
      ["GET", "/users/7/posts/8?about=route"],
      ["GET", "/files/a/b?about=route"],
      ["GET", "/api/search?about=route"],
      ["GET", "/nowhere?about=route"],
    ]);
    const routes = ["/users/{id}/posts/{postId}", "/files/*path", "/api/search", null];
    probe.equal(
      "the routes",
      found.map(({ route }) => route),
      routes,
    );
  }),

  proves("TRACE-008", "has the path as it was sent, without the query", async (probe) => {
    const path = "/files/a%2Fb%20c;v=1";
    const { trace: found } = await traced(probe, "GET", `${path}?about=path&x=%20`);
    probe.equal("the path", found.path, path);
  }),

  proves("TRACE-009", "has the status that went over the wire", async (probe) => {
    const sent: readonly (readonly [string, string])[] = [
      ["GET", "/users/7?about=status"],
      ["POST", "/users/7?about=status"],
      ["GET", "/nowhere?about=status"],
      ["GET", "/boom?about=status"],
      ["GET", "/fail/503?about=status"],
    ];
    const statuses: (readonly [number, number])[] = [];
    for (const [method, target] of sent) {
      const { response, trace: found } = await traced(probe, method, target);
      statuses.push([found.status, response.status]);
    }
    probe.equal(
      "traced and sent",
      statuses,
      statuses.map(([, status]) => [status, status]),
    );
  }),

  proves("TRACE-010", "shows a client that left before the head", async (probe) => {
    const token = probe.token();
    const left = `GET /slow/9999 HTTP/1.1\r\nHost: localhost\r\nX-Framework-Dev: ${token}\r\n\r\n`;
    // Both are sent at once and the client leaves with the first response: then the second request is there, without a response.
    await probe.raw(`GET /users/7 HTTP/1.1\r\nHost: localhost\r\n\r\n${left}`, { responses: 1 });
    const { status, aborted } = await traceWhere(probe, ({ correlationId }) => correlationId === token);
    probe.equal("status and aborted", { status, aborted }, { status: 499, aborted: true });
  }),

  proves("TRACE-011", "shows what was thrown, and nothing for the router's own responses", async (probe) => {
    const found = await traces(probe, [
      ["GET", "/boom?about=error"],
      ["GET", "/fail/418?about=error"],
      ["GET", "/users/7?about=error"],
      ["GET", "/nowhere?about=error"],
      ["POST", "/users/7?about=error"],
    ]);
    const messages = found.map(({ error }) => error?.message ?? null);
    const expected = ["a secret of the server", "failed with 418 as asked", null, null, null];
    probe.equal("the messages", messages, expected);
  }),

  proves("TRACE-047", "shows where what was thrown was thrown", async (probe) => {
    const { trace: found } = await traced(probe, "GET", "/boom?about=stack");
    const stack = found.error?.stack ?? [];
    const places = stack.filter(({ file, line, column }) => file !== "" && line >= 1 && column >= 1);
    const own = stack.map((frame) => frame.own);
    probe.equal(
      "whether there are frames, each has a place, the innermost is the application's own, and not all are",
      [stack.length > 0, places.length, own[0], own.includes(false)],
      [true, stack.length, true, true],
    );
  }),

  proves("TRACE-047", "shows the same place in the call that threw", async (probe) => {
    const { trace: found } = await traced(probe, "POST", "/orders?about=stack", {
      json: { item: "tea", total: "much" },
    });
    const [call] = found.calls;
    const thrown = placeOf(found.error);
    probe.equal("where the call's error was thrown", placeOf(call?.error ?? null), thrown);
    probe.equal("whether there is a place", thrown.stack.length > 0, true);
  }),
];

type Thrown = Trace["error"];

/** The frames of what was thrown, and the lines around it, where they are shown. */
function placeOf(error: Thrown) {
  const { file, line, from, lines } = error?.excerpt ?? {};
  const stack = error?.stack ?? [];
  return {
    stack: stack.map((frame) => [frame.name, frame.file, frame.line, frame.column, frame.own]),
    file,
    line,
    from,
    lines,
  };
}
