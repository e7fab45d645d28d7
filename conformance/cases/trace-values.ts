/** Traces, by HTTP: secrets that are not shown, and values that are cut. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { traced } from "../kit/traces.ts";

const hidden = "[redacted]";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

/** How the body of a request is shown, and the same body in the response. */
async function shown(probe: Probe, about: string, json: unknown): Promise<readonly [unknown, unknown]> {
  const { request, response } = (await traced(probe, "POST", `/echo?about=${about}`, { json })).trace;
  return [request.body, response.body];
}

function nested(levels: number): unknown {
  return levels === 0 ? ["the innermost"] : { down: nested(levels - 1) };
}

/** The cases of values. */
export const traceValues = [
  proves("TRACE-030", "hides what stands under a secret name", async (probe) => {
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

  proves("TRACE-031", "hides secrets within texts", async (probe) => {
    const token = `ghp_${"aB3".repeat(12)}`;
    const texts = {
      bearer: "sent Bearer abcdefghijkl to it",
      jwt: `it was ${jwt} then`,
      pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      url: "https://ada:pw@example.test/x",
      token: `with ${token} in it`,
    };
    const [request, response] = await shown(probe, "texts", texts);
    const leaks = ["abcdefghijkl", jwt, "AAAA", "ada:pw", token];
    const seen = [request, response].map((body) => JSON.stringify(body));
    const marks = seen.map((text) => text.split(hidden).length - 1);
    const leaked = leaks.filter((leak) => seen.some((text) => text.includes(leak)));
    probe.equal("marks in request and respond, and what leaked", [marks, leaked], [[5, 5], []]);
  }),

  proves("TRACE-032", "hides a secret path parameter in the path too", async (probe) => {
    const { path, request } = (await traced(probe, "GET", `/users/${jwt}?about=parameter`)).trace;
    probe.equal("path and parameter", [path, request.pathParams], [`/users/${hidden}`, { id: hidden }]);
  }),

  proves("TRACE-033", "shows what stands under a name that only contains a secret word", async (probe) => {
    const open = { passenger: "Ada", nextPageToken: "n2", tokenCount: 3, secretary: "Bob", cookieBanner: "yes" };
    probe.equal("request and respond", await shown(probe, "open", open), [open, open]);
  }),

  proves("TRACE-041", "hides a secret wherever else it stands", async (probe) => {
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

  proves("TRACE-030", "hides cookies, those that are set too", async (probe) => {
    const { trace } = await traced(probe, "GET", "/cookies?about=cookies", {
      headers: { cookie: "color=red; size=9" },
    });
    const seen = [trace.request.headers["cookie"], trace.response.headers["set-cookie"]];
    probe.equal("Cookie and Set-Cookie", seen, [[hidden], [hidden, hidden]]);
  }),

  proves("TRACE-042", "hides what is assigned to a secret name within a text", async (probe) => {
    const texts = {
      basic: "sent Basic YWRhOnNlY3JldDE= to it",
      query: "GET /a?access_token=secret2&b=1",
      message: "password=secret3 was wrong",
      connection: "Server=db;Pwd=secret4;Encrypt=true",
      json: '{"clientSecret":"secret5","n":1}',
      command: "login --password secret6 --port 1",
      markup: "<user><pin>secret7</pin></user>",
      yaml: "tokens:\n  - secret8\nport: 1",
    };
    const [request, response] = await shown(probe, "assigned", texts);
    const expected = {
      basic: `sent ${hidden} to it`,
      query: `GET /a?access_token=${hidden}&b=1`,
      message: `password=${hidden} was wrong`,
      connection: `Server=db;Pwd=${hidden};Encrypt=true`,
      json: `{"clientSecret":"${hidden}","n":1}`,
      command: `login --password ${hidden} --port 1`,
      markup: `<user><pin>${hidden}</pin></user>`,
      yaml: `tokens:\n  - ${hidden}\nport: 1`,
    };
    probe.equal("request and respond", [request, response], [expected, expected]);
  }),

  proves("TRACE-043", "hides a secret parameter in the path, whatever the method", async (probe) => {
    const seen: Record<string, unknown> = {};
    for (const method of ["GET", "OPTIONS", "DELETE"] as const) {
      const { trace, response } = await traced(probe, method, `/reset/${probe.token()}?about=reset`);
      seen[method] = [response.status, trace.status, trace.path];
    }
    const path = `/reset/${hidden}`;
    probe.equal("status and path", seen, {
      GET: [200, 200, path],
      OPTIONS: [204, 204, path],
      DELETE: [405, 405, path],
    });
  }),

  proves("TRACE-034", "cuts long strings, long lists and deep values visibly", async (probe) => {
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
