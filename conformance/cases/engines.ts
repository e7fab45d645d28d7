/** One application on every transport. Spec: engines.md (ENGINE). */
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const engines = [
  proves("ENGINE-012", "responds to a request that arrives byte by byte as to any other", async (probe) => {
    const head = (method: string, path: string, more = ""): string =>
      `${method} ${path} HTTP/1.1\r\nHost: ${probe.base.host}\r\n${more}Connection: close\r\n\r\n`;
    const seen = async (apart: boolean): Promise<readonly unknown[]> => {
      const [path, body] = [`/users/${apart ? "apart" : "whole"}`, `{"apart":${apart}}`];
      const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const echo = head("POST", "/echo", type) + body;
      const found: unknown[] = [];
      for (const request of [head("GET", path), echo, head("PUT", path), head("PATCH", path)]) {
        const [response] = (await probe.raw(request, { responses: 1, apart })).responses;
        found.push(response?.status);
        if (request === echo) found.push(response?.text.replaceAll(/\s/g, "") === body);
      }
      return found;
    };
    const whole = await seen(false);
    probe.equal("two statuses, and whether the body was echoed, sent whole", whole.slice(0, 3), [200, 200, true]);
    probe.equal("the same, sent byte by byte", await seen(true), whole);
  }),
];
