/**
 * Finds what the subject's middleware emitted for the requests of one case. It uses a unique user agent, or their paths
 * if the evidence has no user agent. (Before each case the evidence is empty.)
 */
import type { LogLine, Metrics, Probe, SendOptions, Span } from "./probe.ts";
import type { HttpResponse } from "./response.ts";

/** The requested paths of a tag. */
const asked = new WeakMap<Probe, Map<string, Set<string>>>();

/** A request with the tag as its user agent. */
export async function sendTagged(
  probe: Probe,
  tag: string,
  method: string,
  target: string,
  { headers, ...options }: SendOptions = {},
): Promise<HttpResponse> {
  const paths = asked.get(probe) ?? new Map<string, Set<string>>();
  asked.set(probe, paths.set(tag, new Set([...(paths.get(tag) ?? []), target.split("?")[0] ?? ""])));
  return probe.send(method, target, { ...options, headers: { "user-agent": tag, ...headers } });
}

/** Does it belong to a request with the tag? */
function isTagged(probe: Probe, tag: string, agent: unknown, path: unknown): boolean {
  if (agent !== undefined) return agent === tag;
  return typeof path === "string" && asked.get(probe)?.get(tag)?.has(path) === true;
}

/** The log lines with the tag, in order, as soon as there are `count` of them. */
export async function logsOf(probe: Probe, tag: string, count: number): Promise<readonly LogLine[]> {
  return probe.eventually(`${count} log lines`, async () => {
    const found = await probe.logs((line) => isTagged(probe, tag, line.userAgent, line.path));
    return found.length >= count ? found : undefined;
  });
}

/** The spans with the tag, in order, as soon as there are `count` of them. */
export async function spansOf(probe: Probe, tag: string, count: number): Promise<readonly Span[]> {
  return probe.eventually(`${count} spans`, async () => {
    const found = await probe.spans((named) => isTagged(probe, tag, named["user_agent.original"], named["url.path"]));
    return found.length >= count ? found : undefined;
  });
}

/** The one span of a request with these headers. */
export async function spanOf(probe: Probe, method: string, target: string, options: SendOptions = {}): Promise<Span> {
  const tag = probe.token();
  await sendTagged(probe, tag, method, target, options);
  const [span] = await spansOf(probe, tag, 1);
  if (!span) throw new Error("a span was counted that is not there");
  return span;
}

/**
 * Does it include `leastUs` of waiting within `elapsedUs`? A timer may fire slightly early, and the end may be seen slightly
 * late.
 */
export function isLasting(us: number | null | undefined, leastUs: number, elapsedUs: number): boolean {
  return typeof us === "number" && us >= leastUs - 5_000 && us <= elapsedUs + 500_000;
}

type Routes = Metrics["routes"];

/** The metrics of these routes, as soon as `isThere` says that all requests are counted. */
export async function metricsOf(probe: Probe, isThere: (routes: Routes) => boolean): Promise<Routes> {
  return probe.eventually("the requests in the metrics", async () => {
    const { routes } = await probe.metrics();
    return isThere(routes) ? routes : undefined;
  });
}
