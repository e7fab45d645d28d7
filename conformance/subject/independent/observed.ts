/**
 * The records of each completed request of the independent subject: a log line and an entry in the metrics.
 *
 * Written from spec/log.md and spec/metrics.md. Every duration is kept, so the percentiles are exact.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A completed request, as a line of the access log. */
interface Line {
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly status: number;
  readonly durationUs: number;
  readonly bytes: number;
  readonly remoteAddress: string | null;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly userAgent?: string;
  readonly aborted?: true;
}

const methods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT QUERY".split(" ");
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, null];

/** The trace of a request, by its traceparent, with a new span in it. */
function traceOf({ headers }: IncomingMessage): Pick<Line, "traceId" | "spanId"> {
  const [, traceId] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(headers["traceparent"])) ?? [];
  return traceId === undefined ? {} : { traceId, spanId: randomBytes(8).toString("hex") };
}

/** The evidence of one subject. */
export class Observed {
  #lines: (Line & { readonly time: string })[] = [];
  #since = Date.now();
  #active = 0;
  /** Sockets with a request in progress, and the status if it was rejected. */
  readonly #open = new WeakMap<object, number | undefined>();

  /** Watches a request until it is complete. Values that are known later are read at the end. */
  watch(
    request: IncomingMessage,
    response: ServerResponse,
    end: () => Pick<Line, "path" | "route" | "bytes" | "requestId">,
  ): void {
    const begun = performance.now();
    const { socket } = request;
    const remoteAddress = socket.remoteAddress ?? null;
    const userAgent = request.headers["user-agent"];
    const method = request.method ?? "";
    this.#active += 1;
    this.#open.set(socket, undefined);
    response.once("close", () => {
      this.#active -= 1;
      const rejected = this.#open.get(socket);
      this.#open.delete(socket);
      // `finish` also comes for a socket that was destroyed before it accepted everything.
      const whole = response.writableFinished && !(socket.destroyed && !socket.writableFinished);
      this.#add({
        method: methods.includes(method) ? method : "_OTHER",
        ...end(),
        status: response.headersSent ? response.statusCode : (rejected ?? 499),
        durationUs: Math.round((performance.now() - begun) * 1000),
        remoteAddress,
        ...traceOf(request),
        ...(userAgent === undefined || userAgent === "" ? {} : { userAgent: userAgent.slice(0, 512) }),
        ...(whole || rejected !== undefined ? {} : { aborted: true }),
      });
    });
  }

  /** A request that could not be parsed, or one with a body that did not come in time, which keeps its own line. */
  rejected(status: number, bytes: number, socket: Socket): void {
    if (this.#open.has(socket)) return void this.#open.set(socket, status);
    const nothing = { method: "_OTHER", path: "", route: null, durationUs: 0 };
    this.#add({ ...nothing, status, bytes, remoteAddress: socket.remoteAddress ?? null });
  }

  reset(): void {
    this.#lines = [];
    this.#since = Date.now();
  }

  get logs(): readonly object[] {
    return this.#lines;
  }

  /** A MetricsSnapshot. */
  metrics(): object {
    const series = new Map<string, Line[]>();
    for (const line of this.#lines) {
      const key = JSON.stringify([line.route ?? "UNMATCHED", line.method]);
      series.set(key, [...(series.get(key) ?? []), line]);
    }
    const sorted = [...series.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return { since: this.#since, activeRequests: this.#active, routes: sorted.map(summary) };
  }

  #add(line: Line): void {
    this.#lines.push({ time: new Date().toISOString(), ...line, path: line.path.slice(0, 2048) });
  }
}

const keyOf = ([line]: readonly Line[]): string => `${line?.route ?? "UNMATCHED"} ${line?.method ?? ""}`;

function summary(lines: readonly Line[]): object {
  const statuses: Record<string, number> = {};
  for (const { status } of lines) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    method: lines[0]?.method,
    route: lines[0]?.route ?? "UNMATCHED",
    count: lines.length,
    errors: lines.filter(({ status }) => status >= 500).length,
    aborted: lines.filter(({ aborted }) => aborted === true).length,
    statuses,
    durationSeconds: durations(lines.map(({ durationUs }) => durationUs / 1e6).toSorted((a, b) => a - b)),
  };
}

function durations(sorted: readonly number[]): object {
  const sum = sorted.reduce((total, one) => total + one, 0);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const below = (le: number | null): number => sorted.filter((one) => le === null || one <= le).length;
  return {
    sum,
    min: sorted[0],
    max: at(1),
    mean: sum / sorted.length,
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    buckets: bounds.map((le) => ({ le, count: below(le) })),
  };
}
