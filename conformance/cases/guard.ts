/** The guard: requests that no HTTP client sends, the stream, and the policy of the page. Spec: guard.md (GUARD). */
import { saidOf, type HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import { directives, hashSources } from "../kit/content-policy.ts";
import { asHtml, graphPath, page, streamPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";

/** The result of a request that no HTTP client would send. A closed connection counts as rejected, silence does not. */
async function rawFate(probe: Probe, target: string, lines: string): Promise<"let in" | "rejected" | "left waiting"> {
  const request = `GET ${target} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
  const { responses, ended } = await probe.raw(request, { responses: 1 });
  if (ended === "timeout") return "left waiting";
  return responses.some(letIn) ? "let in" : "rejected";
}

const letIn = ({ status }: HttpResponse): boolean => status === 200;

const everywhere = {
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "deny",
  "referrer-policy": "no-referrer",
} as const;

/** The cases of this chapter that are not vectors. */
export const guard = [
  proves("GUARD-003", "rejects a request with no Host and one with two", async (probe) => {
    const host = "Host: localhost\r\n";
    const one = letIn(await probe.send("GET", graphPath, { headers: { host: "localhost" } }));
    const [none, two] = [await rawFate(probe, graphPath, ""), await rawFate(probe, graphPath, host + host)];
    probe.equal("which requests are let in", { one, none, two }, { one: true, none: "rejected", two: "rejected" });
  }),

  proves("GUARD-011", "protects the stream, whose response never ends", async (probe) => {
    const { response } = await probe.stream(`${streamPath}?about=guard`);
    const said = saidOf(response, Object.keys(everywhere));
    probe.equal(
      "the headers, and that it is not stored",
      [said, response.set("cache-control").includes("no-store")],
      [everywhere, true],
    );
  }),

  proves("GUARD-020", "rejects HTTP/1.0, which proxies use and browsers do not", async (probe) => {
    for (const target of [page, graphPath]) {
      const request = `GET ${target} HTTP/1.0\r\nHost: localhost:8080\r\nUser-Agent: an old proxy\r\n\r\n`;
      const { responses } = await probe.raw(request, { responses: 1 });
      probe.equal(
        `what ${target} comes to`,
        responses.map(({ status }) => status),
        [403],
      );
    }
  }),

  proves("GUARD-012", "allows the page only its own script, style and origin", async (probe) => {
    const response = await probe.send("GET", page, { headers: asHtml });
    const head = await probe.send("HEAD", page, { headers: asHtml });
    const [policy, ofHead] = [response, head].map((one) => directives(one.header("content-security-policy") ?? ""));
    const { "default-src": others, "script-src": script, "style-src": style, "connect-src": connect } = policy ?? {};
    probe.equal(
      "the policy",
      { others, script, style, connect },
      {
        others: ["'none'"],
        script: hashSources(response.text, "script"),
        style: hashSources(response.text, "style"),
        connect: ["'self'"],
      },
    );
    probe.equal("the policy of HEAD", ofHead, policy);
  }),
];
