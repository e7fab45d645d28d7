/** Routing cases that a vector cannot express. Spec: routing.md (ROUTE). */
import { Problem } from "../../spec/errors.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter that are not vectors. */
export const routing = [
  proves("ROUTE-009", "sends nothing after the head of a response to HEAD", async (probe) => {
    if (!probe.speaksHttp1) return probe.equal("the body", (await probe.send("HEAD", "/users/1")).text, "");
    const line = (method: string): string => `${method} /users/1 HTTP/1.1\r\nHost: ${probe.base.host}\r\n`;
    const { responses } = await probe.raw(`${line("HEAD")}\r\n${line("GET")}Connection: close\r\n\r\n`, {
      responses: 2,
    });
    probe.equal(
      "the responses to HEAD and to the GET behind it",
      responses.map(({ plain }) => plain),
      ["", '{"id":"1"}'],
    );
  }),

  proves("ROUTE-014", "rejects several Hosts over HTTP/1.0 too", async (probe) => {
    const lines = "GET /users/hosts HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n";
    const { responses } = await probe.raw(lines, { responses: 1 });
    probe.equal(
      "the statuses",
      responses.map(({ status }) => status),
      [400],
    );
  }),

  proves("ROUTE-022", "rejects an expectation other than 100-continue with 417, and logs it once", async (probe) => {
    await probe.reset();
    const path = `/users/${probe.token()}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: ${probe.base.host}\r\nExpect: else\r\nConnection: close\r\n\r\n`;
    const { responses } = await probe.raw(request, { responses: 1 });
    const [response] = responses;
    const type = response?.type;
    const body = response === undefined ? undefined : probe.json(Problem, response).status;
    const { status } = await probe.logOf((line) => line.path === path || line.status === 417);
    const lines = await probe.logs((line) => line.path === path || line.status === 417);
    probe.equal(
      "status, type, status in the body, and what was logged",
      [response?.status, type, body, status, lines.length],
      [417, "application/problem+json", 417, 417, 1],
    );
  }),
];
