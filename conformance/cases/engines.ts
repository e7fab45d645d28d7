/** One application on every transport. Spec: engines.md (ENGINE). */
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const engines = [
  proves("ENGINE-012", "responds to a request whose bytes come one at a time as to any other", async (probe) => {
    const head = (method: string, path: string, more = ""): string =>
      `${method} ${path} HTTP/1.1\r\nHost: ${probe.base.host}\r\n${more}Connection: close\r\n\r\n`;
    const statuses = async (apart: boolean): Promise<readonly unknown[]> => {
      const [path, body] = [`/users/${apart ? "apart" : "whole"}`, `{"apart":${apart}}`];
      const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const echo = head("POST", "/echo", type) + body;
      const found: unknown[] = [];
      for (const request of [head("GET", path), echo, head("PUT", path), head("PATCH", path)])
        found.push((await probe.raw(request, { responses: 1, apart })).responses[0]?.status);
      return found;
    };
    const whole = await statuses(false);
    probe.equal("the first of the statuses, sent whole", whole.slice(0, 2), [200, 200]);
    probe.equal("the statuses, sent byte by byte", await statuses(true), whole);
  }),
];
