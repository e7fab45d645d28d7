/** Traces over HTTP: the request and the response. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { HttpResponse } from "../kit/response.ts";
import type { Probe } from "../kit/probe.ts";
import { traced, traceWhere, type Traced } from "../kit/traces.ts";

const bytesOf = ({ bytes }: HttpResponse): object => ({ $bytes: bytes.length });

/** The lines of some headers, case-insensitively. A subject may join the lines of one header. */
function named(headers: Lines = {}, names: readonly string[]): readonly unknown[] {
  return names.map((name) => {
    const [, lines] = Object.entries(headers).find(([found]) => found.toLowerCase() === name) ?? [];
    return lines && [lines.join(", ")];
  });
}
type Lines = Readonly<Record<string, readonly string[]>>;

const cookieValues = ["dark-value", "9-value"];

/** A request with two cookies. */
const withCookies = (probe: Probe, about = "cookies"): Promise<Traced> =>
  traced(probe, "GET", `/users/7?about=${about}`, {
    headers: { cookie: `theme=${cookieValues[0]}; size=${cookieValues[1]}` },
  });

/** The cases of this chapter that are not vectors. */
export const traceBodies = [
  proves("TRACE-012", "has path parameters, query, headers and body of the request", async (probe) => {
    const notes = [probe.token(), probe.token()];
    const search = await traced(probe, "QUERY", "/search?about=request&a=1&a=%C3%A9", {
      headers: { "x-note": notes, "user-agent": "a reader" },
      json: { q: [1, null, "é"] },
    });
    const post = await traced(probe, "GET", "/users/a%20b/posts/8?about=request&b=");
    const rest = await traced(probe, "GET", "/files/c/d?about=request");
    const [first, second, third] = [search, post, rest].map(({ trace }) => trace.request);
    probe.equal(
      "what was searched, and how",
      [first?.pathParams, first?.query, first?.body],
      [{}, { about: ["request"], a: ["1", "é"] }, { q: [1, null, "é"] }],
    );
    probe.equal(
      "the parameters of the others",
      [second?.pathParams, second?.query, third?.pathParams, third?.query],
      [{ id: "a b", postId: "8" }, { about: ["request"], b: [""] }, { path: "c/d" }, { about: ["request"] }],
    );
    const token = [search.trace.correlationId];
    probe.equal(
      "the headers of the first",
      named(first?.headers, ["x-note", "user-agent", "content-type", "x-framework-dev"]),
      [[notes.join(", ")], ["a reader"], ["application/json"], token],
    );
    probe.equal("a header of the second", named(second?.headers, ["x-note", "x-framework-dev"]), [
      undefined,
      [post.trace.correlationId],
    ]);
  }),

  proves("TRACE-123", "names the cookies that the response sets, with their attributes", async (probe) => {
    const { correlationId } = (await traced(probe, "GET", "/cookies?about=cookies")).trace;
    // Another entry in the list, with its own cookies if the subject has sessions.
    await traced(probe, "POST", `/sessions/kept/values/${probe.token()}`);
    const trace = await traceWhere(probe, (listed) => listed.correlationId === correlationId);
    const attributes = ["httponly", "path=/", "samesite=lax", "secure"];
    const given = trace.response.cookies?.map((one) => [
      one.name,
      one.attributes.map((attribute) => attribute.toLowerCase()).toSorted(),
    ]);
    probe.equal("names and attributes", given, [
      ["color", attributes],
      ["size", attributes],
    ]);
  }),

  proves("TRACE-124", "shows no value of a cookie", async (probe) => {
    const { trace: asked } = await withCookies(probe, "cookie-values");
    const { trace: set } = await traced(probe, "GET", "/cookies?about=cookies");
    const shown = JSON.stringify([asked.request.cookies, set.response.cookies]);
    const seen = [...cookieValues, "sea"].filter((value) => shown.includes(value));
    probe.equal("the values that show", seen, []);
  }),

  proves("TRACE-015", "has only the size of large JSON", async (probe) => {
    const json = await traced(probe, "POST", "/echo?about=size", { json: { text: "é".repeat(200_000) } });
    probe.equal("the response", json.trace.response.body, bytesOf(json.response));
  }),
];
