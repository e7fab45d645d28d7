/** Traces over HTTP: hidden secrets, and truncated values. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { traced } from "../kit/traces.ts";

const hidden = "[redacted]";

/** The recorded body of a request, and the same body in the response. */
async function shown(probe: Probe, about: string, json: unknown): Promise<readonly [unknown, unknown]> {
  const { request, response } = (await traced(probe, "POST", `/echo?about=${about}`, { json })).trace;
  return [request.body, response.body];
}

function nested(levels: number): unknown {
  return levels === 0 ? ["the innermost"] : { down: nested(levels - 1) };
}

/** The cases of this chapter that are not vectors. */
export const traceValues = [
  proves("TRACE-030", "hides the value of a secret name", async (probe) => {
    const { request, response } = (
      await traced(probe, "POST", "/echo?about=names&api_key=k1&plain=p1", {
        headers: { authorization: "Basic YTpi", "x-access-token": "t1" },
        json: { user: "ada", dbPassword: "p2", list: [{ accessToken: "t2" }], pair: ["accessToken", "t3-t3-t3"] },
      })
    ).trace;
    const headers = Object.entries(request.headers).filter(([name]) => /^(authorization|x-access-token)$/i.test(name));
    const body = { user: "ada", dbPassword: hidden, list: [{ accessToken: hidden }], pair: ["accessToken", hidden] };
    const seen = [request.query, headers.map(([, lines]) => lines), request.body, response.body];
    const query = { about: ["names"], api_key: [hidden], plain: ["p1"] };
    probe.equal("query, headers and bodies", seen, [query, [[hidden], [hidden]], body, body]);
  }),

  proves("TRACE-041", "hides a secret in every other place", async (probe) => {
    const secret = `s3cr3t-${probe.token()}`;
    const { trace } = await traced(probe, "POST", `/echo?about=everywhere&note=${secret}`, {
      headers: { referer: `https://example.test/${secret}/x` },
      json: { [secret]: 1, said: `it was ${secret}.`, dbPassword: secret, list: [secret] },
    });
    const body = { [hidden]: 1, said: `it was ${hidden}.`, dbPassword: hidden, list: [hidden] };
    const { query, headers, body: received } = trace.request;
    const seen = [JSON.stringify(trace).includes(secret), query, headers["referer"], received, trace.response.body];
    probe.equal("whether it shows, query, Referer and bodies", seen, [
      false,
      { about: ["everywhere"], note: [hidden] },
      [`https://example.test/${hidden}/x`],
      body,
      body,
    ]);
  }),

  proves("TRACE-041", "hides a secret in arguments, results and errors too", async (probe) => {
    const secret = `s3cr3t-${probe.token()}`;
    const order = { json: { item: secret, total: 150 } };
    const { trace: placed } = await traced(probe, "POST", `/orders?about=calls&api_key=${secret}`, order);
    const message = encodeURIComponent("failed with 418 as asked");
    const { trace: failed } = await traced(probe, "GET", `/fail/418?about=calls&api_key=${message}`);
    const shownOf = (bean: string) =>
      placed.calls.filter((call) => call.bean === bean).map((call) => [call.args, call.result]);
    probe.equal("whether it shows", JSON.stringify([placed, failed.error]).includes(secret), false);
    probe.equal(
      "what Catalog got and returned, what OrderRepository got, and the error",
      [shownOf("Catalog"), shownOf("OrderRepository")[0]?.[0], failed.error?.message],
      [[[[hidden], { item: hidden }]], [{ item: hidden, total: 150 }], hidden],
    );
  }),

  proves("TRACE-030", "hides cookies, including those that are set", async (probe) => {
    const { trace } = await traced(probe, "GET", "/cookies?about=cookies", {
      headers: { cookie: "color=red; size=9" },
    });
    const seen = [trace.request.headers["cookie"], trace.response.headers["set-cookie"]];
    probe.equal("Cookie and Set-Cookie", seen, [[hidden], [hidden, hidden]]);
  }),

  proves("TRACE-034", "truncates long strings, long lists and deep values visibly", async (probe) => {
    const [string] = await shown(probe, "cut", { text: "x".repeat(16_384 + 9) });
    const [list] = await shown(
      probe,
      "cut",
      Array.from({ length: 107 }, (_, at) => at),
    );
    const [eight] = await shown(probe, "cut", nested(7));
    const [nine] = await shown(probe, "cut", nested(8));
    const deep = JSON.stringify(nine);
    probe.equal(
      "how each is shown",
      [string, list, eight, deep.includes("innermost"), deep.includes("$truncated")],
      [
        { text: { $string: "x".repeat(16_384), $truncated: 9 } },
        [...Array.from({ length: 100 }, (_, at) => at), { $truncated: 7 }],
        nested(7),
        false,
        true,
      ],
    );
  }),
];
