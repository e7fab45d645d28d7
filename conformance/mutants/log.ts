/** Access logs that lose, repeat or embellish. */
import { breaks } from "../kit/mutant.ts";
import { editLogs, editPart } from "../kit/evidence.ts";
import type { LogLine } from "../kit/probe.ts";

const tagged = ({ userAgent }: LogLine): boolean => /^[0-9a-f]{16}$/.test(userAgent ?? "");

/** The mutants of this chapter. */
export const log = [
  breaks("streams-are-logged-twice", ["LOG-001"], (exchange) =>
    editPart(exchange, "logs", (logs) =>
      (logs as readonly LogLine[]).flatMap((line) =>
        line.path === "/events/3" && tagged(line) ? [line, line] : [line],
      ),
    ),
  ),
  breaks("health-is-not-logged", ["LOG-001", "HEALTH-022"], (exchange) =>
    editPart(exchange, "logs", (logs) => (logs as readonly LogLine[]).filter(({ path }) => path !== "/health")),
  ),
  breaks("lines-have-no-status", ["LOG-003"], (exchange) =>
    editLogs(exchange, (line) => (line.userAgent === "one-line" ? { ...line, status: undefined } : line)),
  ),
  breaks("lines-have-a-member-too-many", ["LOG-003"], (exchange) =>
    editLogs(exchange, (line) => (line.userAgent === "one-line" ? { ...line, level: "info" } : line)),
  ),
  breaks("query-is-logged-as-another-method", ["LOG-003"], (exchange) =>
    editLogs(exchange, (line) => (line.userAgent === "one-line" ? { ...line, method: "_OTHER" } : line)),
  ),
  breaks("paths-are-decoded-before-they-are-logged", ["LOG-005"], (exchange) =>
    editLogs(exchange, (line) => (line.path.includes("%0A") ? { ...line, path: decodeURIComponent(line.path) } : line)),
  ),
  breaks("user-agents-lose-their-quotes", ["LOG-005"], (exchange) =>
    editLogs(exchange, (line) =>
      line.userAgent?.includes('"') === true ? { ...line, userAgent: line.userAgent.replaceAll('"', "") } : line,
    ),
  ),
  breaks("queries-are-logged", ["LOG-007"], (exchange) =>
    editLogs(exchange, (line) => (line.path === "/users/a%20b" ? { ...line, path: "/users/a%20b?c=d" } : line)),
  ),
  breaks("long-paths-are-cut-early", ["LOG-007"], (exchange) =>
    editLogs(exchange, (line) => (line.path.length === 2_048 ? { ...line, path: line.path.slice(0, 1_024) } : line)),
  ),
  breaks("lines-have-no-span", ["LOG-008"], (exchange) =>
    editLogs(exchange, (line) =>
      line.traceId === "0af7651916cd43dd8448eb211c80319c" ? { ...line, spanId: undefined } : line,
    ),
  ),
  breaks("lines-have-no-request-id", ["LOG-005", "LOG-008"], (exchange) =>
    editLogs(exchange, (line) =>
      /^[0-9a-f]{16}$/.test(line.requestId ?? "") ? { ...line, requestId: undefined } : line,
    ),
  ),
  breaks("lines-invent-a-request-id", ["LOG-008"], (exchange) =>
    editLogs(exchange, (line) => (line.requestId === undefined ? { ...line, requestId: "none" } : line)),
  ),
  breaks("lines-have-the-status-before-mapping", ["LOG-013"], (exchange) =>
    editLogs(exchange, (line) => (line.path === "/fail/418" ? { ...line, status: 200 } : line)),
  ),
  breaks("early-aborts-are-logged-as-200", ["LOG-014"], (exchange) =>
    editLogs(exchange, (line) => (line.status === 499 ? { ...line, status: 200 } : line)),
  ),
  breaks("late-aborts-are-not-marked", ["LOG-014"], (exchange) =>
    editLogs(exchange, (line) => (line.path === "/events/1000000" ? { ...line, aborted: undefined } : line)),
  ),
  breaks("rejected-requests-are-get", ["LOG-015"], (exchange) =>
    editLogs(exchange, (line) => (line.path === "" ? { ...line, method: "GET" } : line)),
  ),
  breaks("lines-hold-the-body", ["LOG-016"], (exchange) =>
    editLogs(exchange, (line) =>
      line.path === "/echo" && line.method === "POST" && line.status === 200
        ? { ...line, spanId: "a-secret-of-the-client" }
        : line,
    ),
  ),
];
