/**
 * The controls of the independent subject. Written from spec/subject.md.
 */
import type { IncomingMessage } from "node:http";
import { json, Rejection, type Reply, textOf } from "./exchange.ts";
import type { Observed } from "./observed.ts";

/** The state of a running independent subject. */
export interface State {
  readonly profile: string;
  /** The mode of each health check. */
  readonly checks: Map<string, string>;
  readonly observed: Observed;
}

const modes: readonly unknown[] = ["up", "down", "throw", "reject", "hang"];
const features =
  "metrics access-log request-id cors contracts health-controls parser limits timeouts remote-address raw-path disconnects".split(
    " ",
  );
const done: Reply = { status: 204, headers: {}, body: "" };

/** The response of a control. */
export async function controlReply(state: State, request: IncomingMessage, path: string): Promise<Reply> {
  const { profile, checks, observed } = state;
  const asked = `${request.method ?? ""} ${path.slice("/__subject/".length)}`;
  if (asked === "GET about")
    return json({ implementation: "independent", version: "1", engine: "node-http", profile, features });
  if (asked === "GET evidence") return json({ logs: observed.logs, spans: [], metrics: observed.metrics() });
  if (asked === "POST reset") {
    observed.reset();
    return done;
  }
  const name = /^PUT checks\/(.+)$/.exec(asked)?.[1];
  if (name === undefined || !checks.has(name)) throw new Rejection(404, "no such control");
  const mode = modeIn(await textOf(request));
  if (!modes.includes(mode)) throw new Rejection(422, "no such mode", {}, [{ path: [], message: "no such mode" }]);
  checks.set(name, String(mode));
  return done;
}

function modeIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Rejection(400, "the body is not JSON");
  }
}
