/** One application on every transport. Spec: engines.md (ENGINE). */
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const engines = [
  proves("ENGINE-012", "responds to a request whose bytes come one at a time as to any other", async (probe) => {
    const head = (method: string, path: string, more = ""): string =>
      `${method} ${path} HTTP/1.1\r\nHost: ${probe.base.host}\r\n${more}Connection: close\r\n\r\n`;
    const body = '{"apart":true}';
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const requests = [
      head("GET", "/users/apart"),
      head("POST", "/echo", type) + body,
      head("PUT", "/users/apart"),
      head("PATCH", "/users/apart"),
    ];
    const seen: unknown[] = [];
    for (const request of requests) {
      const { responses } = await probe.raw(request, { responses: 1, apart: true });
      seen.push(responses[0]?.status);
    }
    const whole = probe.json(SubjectId, await probe.send("GET", "/users/whole"));
    probe.equal("the statuses, and another request's id", [...seen, whole.id], [200, 200, 405, 405, "whole"]);
  }),
];
