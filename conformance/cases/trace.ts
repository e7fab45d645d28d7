/** Traces over HTTP: which request a trace belongs to, and how it ended. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import { traced, traceTexts, traceWhere, visit, type Trace } from "../kit/traces.ts";

/** The cases of this chapter that are not vectors. */
export const trace = [
  proves("TRACE-001", "returns one trace for each request, for any handler", async (probe) => {
    const paths = ["/health", `/${probe.token()}`, `/users/${probe.token()}`];
    for (const path of paths) await visit(probe, path);
    const listed = await traceTexts(probe);
    const counts = paths.map((path) => listed.filter((text) => text.includes(path)).length);
    probe.equal("how many traces each has", counts, [1, 1, 1]);
  }),

  proves("TRACE-006", "numbers traces in the order in which requests end", async (probe) => {
    const [slow, fast] = await Promise.all([
      traced(probe, "GET", "/slow/40?about=order"),
      traced(probe, "GET", "/users/7?about=order"),
    ]);
    const { instance, sequence } = fast.trace;
    probe.equal("the slow one", [slow.trace.instance, slow.trace.sequence], [instance, sequence + 1]);
  }),

  proves("TRACE-010", "shows a client that left before the head", async (probe) => {
    const token = probe.token();
    const left = `GET /slow/9999 HTTP/1.1\r\nHost: localhost\r\nX-Framework-Dev: ${token}\r\n\r\n`;
    // Both are sent together and the client leaves after the first response. So the second request has arrived but has no
    // response.
    await probe.raw(`GET /users/7 HTTP/1.1\r\nHost: localhost\r\n\r\n${left}`, { responses: 1 });
    const { status, aborted } = await traceWhere(probe, ({ correlationId }) => correlationId === token);
    probe.equal("status and aborted", { status, aborted }, { status: 499, aborted: true });
  }),

  proves("TRACE-047", "shows where an error was thrown", async (probe) => {
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

/** The frames of the thrown error and the lines around it, if they are shown. */
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
