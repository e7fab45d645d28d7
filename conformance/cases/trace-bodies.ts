/** Traces, by HTTP: the request and the response. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { HttpResponse } from "../kit/response.ts";
import { traced } from "../kit/traces.ts";

const bytesOf = ({ bytes }: HttpResponse): object => ({ $bytes: bytes.length });

/** The cases of bodies. */
export const traceBodies = [
  proves("TRACE-012", "holds path parameters, query, headers and body of the request", async (probe) => {
    const note = probe.token();
    const search = await traced(probe, "QUERY", "/search?about=request&a=1&a=%C3%A9", {
      headers: { "x-note": note },
      json: { q: [1, null, "é"] },
    });
    const { trace: post } = await traced(probe, "GET", "/users/a%20b/posts/8?about=request");
    const { query, headers, body } = search.trace.request;
    const [, noted] = Object.entries(headers).find(([name]) => name.toLowerCase() === "x-note") ?? [];
    probe.equal(
      "the request",
      { pathParams: post.request.pathParams, query, noted, body },
      {
        pathParams: { id: "a b", postId: "8" },
        query: { about: ["request"], a: ["1", "é"] },
        noted: [note],
        body: { q: [1, null, "é"] },
      },
    );
  }),

  proves("TRACE-013", "has no request body where the application read none", async (probe) => {
    const { trace } = await traced(probe, "POST", "/users/7?about=unread", { json: { unread: true } });
    probe.equal("the request's body", trace.request.body, null);
  }),

  proves("TRACE-014", "shows a JSON response as its value and a text as itself", async (probe) => {
    const { trace: json } = await traced(probe, "GET", "/users/%C3%A9?about=response");
    const { trace: text } = await traced(probe, "GET", "/big/5?about=response");
    probe.equal("the responses", [json.response.body, text.response.body], [{ id: "é" }, "xxxxx"]);
  }),

  proves("TRACE-046", "shows a text that is sent in pieces as itself", async (probe) => {
    const { trace, response } = await traced(probe, "GET", "/events/3?about=pieces");
    probe.equal("the response", trace.response.body, response.text);
  }),

  proves("TRACE-015", "tells only the size of much JSON", async (probe) => {
    const json = await traced(probe, "POST", "/echo?about=size", { json: { text: "é".repeat(200_000) } });
    probe.equal("the response", json.trace.response.body, bytesOf(json.response));
  }),

  proves("TRACE-016", "has no response's body for HEAD and where there is none", async (probe) => {
    const { trace: head } = await traced(probe, "HEAD", "/users/7?about=empty");
    const { trace: empty } = await traced(probe, "GET", "/big/0?about=empty");
    probe.equal("the responses", [head.response.body, empty.response.body], [null, null]);
  }),
];
