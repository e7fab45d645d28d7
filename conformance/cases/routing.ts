/** From method and target to the response. Spec: routing.md (ROUTE). */
import { Problem } from "../../spec/errors.ts";
import { SubjectFile, SubjectId, SubjectMatch, SubjectPost } from "../../spec/subject.ts";
import type { HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

/** The status of a request for each of these targets. */
async function statuses(probe: Probe, targets: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const target of targets) found[target] = (await probe.send("GET", target)).status;
  return found;
}

/** The pattern that each of these paths below `/match/` leads to. */
async function matched(probe: Probe, paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const rest of paths) found[rest] = probe.json(SubjectMatch, await probe.send("GET", `/match/${rest}`)).matched;
  return found;
}

/** What says how a body comes, which may differ. */
const framing = /^(?:content-length|transfer-encoding|connection|keep-alive|date)$/;

const every = (targets: readonly string[], status: number): Readonly<Record<string, number>> =>
  Object.fromEntries(targets.map((target) => [target, status]));

/** The cases of this chapter. */
export const routing = [
  proves("ROUTE-001", "prefers a literal to a parameter and to a wildcard", async (probe) => {
    const routes = await matched(probe, ["a/x", "c/y"]);
    probe.equal("the routes matched", routes, { "a/x": "/match/a/x", "c/y": "/match/c/y" });
  }),

  proves("ROUTE-032", "prefers a parameter to a wildcard", async (probe) => {
    const routes = await matched(probe, ["b/y", "b/z"]);
    probe.equal("the routes matched", routes, { "b/y": "/match/{name}/y", "b/z": "/match/*rest" });
  }),

  proves("ROUTE-033", "matches the best of the others where the better beginning is a dead end", async (probe) => {
    const [parameter, wildcard] = ["/match/{name}/y", "/match/*rest"];
    const expected = { "a/y": parameter, "a/z": wildcard, "c/x": wildcard, "b/x": wildcard, a: wildcard };
    probe.equal("the routes matched", await matched(probe, Object.keys(expected)), expected);
  }),

  proves("ROUTE-002", "decodes a path parameter once", async (probe) => {
    const ids: Record<string, string> = {};
    for (const part of ["caf%C3%A9", "a%252Fb", "a+b%20c"]) {
      ids[part] = probe.json(SubjectId, await probe.send("GET", `/users/${part}`)).id;
    }
    const rest = probe.json(SubjectFile, await probe.send("GET", "/files/a%20b/c"));
    const posts = [];
    for (const target of ["/users/a%20b/posts/%C3%A9", "/users/1/posts/2"])
      posts.push(probe.json(SubjectPost, await probe.send("GET", target)));
    probe.equal("two parameters", posts, [
      { id: "a b", postId: "é" },
      { id: "1", postId: "2" },
    ]);
    probe.equal(
      "what the handlers saw",
      { ...ids, rest: rest.path },
      { "caf%C3%A9": "café", "a%252Fb": "a%2Fb", "a+b%20c": "a+b c", rest: "a b/c" },
    );
  }),

  proves("ROUTE-034", "keeps an encoded slash inside its parameter", async (probe) => {
    const { id } = probe.json(SubjectId, await probe.send("GET", "/users/a%2Fb"));
    const post = probe.json(SubjectPost, await probe.send("GET", "/users/1%2f2/posts/%2F3"));
    const { path } = probe.json(SubjectFile, await probe.send("GET", "/files/a/c%2Fd"));
    probe.equal("what the handlers saw", [id, post, path], ["a/b", { id: "1/2", postId: "/3" }, "a/c/d"]);
  }),

  proves("ROUTE-003", "rejects a malformed percent-escape with 400", async (probe) => {
    const targets = ["/users/%zz", "/users/%", "/users/%C3", "/files/a/%4"];
    probe.equal("the statuses", await statuses(probe, targets), every(targets, 400));
  }),

  proves("ROUTE-004", "rejects a dot segment with 400, encoded or not", async (probe) => {
    const plain = ["/users/..", "/files/a/../b", "/files/./a", "/users/%2e%2e", "/files/.%2E/a", "/%2e/users/1"];
    const targets = [...plain, "/files/a%5C..%5cb", "/users/..%5C", "/files/a%2F..%5Cb"];
    probe.equal("the statuses", await statuses(probe, targets), every(targets, 400));
  }),

  proves("ROUTE-005", "matches nothing where a segment is empty", async (probe) => {
    const targets = ["/users//posts/1", "//users/1", "/users//1", "/users/1//", "/files//a"];
    const found = { ...(await statuses(probe, targets)), ...(await statuses(probe, ["/users/1"])) };
    probe.equal("the statuses", found, { ...every(targets, 404), "/users/1": 200 });
  }),

  proves("ROUTE-006", "responds the same with a trailing slash", async (probe) => {
    const id = probe.token();
    const response = await probe.send("GET", `/users/${id}/`);
    const seen = probe.json(SubjectId, response);
    probe.equal("status and what the handler saw", [response.status, seen], [200, { id }]);
  }),

  proves("ROUTE-017", "gives no spelling of another route's path to a wildcard", async (probe) => {
    const spelled = ["/match/a%2Fx", "/match/a%2fx", "/match/a%5Cx", "/match/a//x", "/match/b%2Fy", "/match/b//y/"];
    const targets = [...spelled, "/files/%2Fa", "/files/%5Ca"];
    const own = ["/match/a%2Fz", "/match/a//z", "/match/b%5Cx", "/files/a%2Fb"];
    const found = { ...(await statuses(probe, targets)), ...(await statuses(probe, own)) };
    probe.equal("the statuses", found, { ...every(targets, 404), ...every(own, 200) });
  }),

  proves("ROUTE-023", "keeps empty segments and a trailing slash in a wildcard", async (probe) => {
    const rests: Record<string, string> = {};
    for (const rest of ["a/", "a//b/", "a//", "a%2F", "https://b.example//c", "a%5Cb"])
      rests[rest] = probe.json(SubjectFile, await probe.send("GET", `/files/${rest}`)).path;
    probe.equal("what the handler saw", rests, {
      "a/": "a/",
      "a//b/": "a//b/",
      "a//": "a//",
      "a%2F": "a/",
      "https://b.example//c": "https://b.example//c",
      "a%5Cb": "a\\b",
    });
  }),

  proves("ROUTE-007", "responds with 404 where nothing matches", async (probe) => {
    const targets = [`/${probe.token()}`, "/users/1/posts", "/USERS/1", "/files"];
    const found = { ...(await statuses(probe, targets)), ...(await statuses(probe, ["/files/a"])) };
    probe.equal("the statuses", found, { ...every(targets, 404), "/files/a": 200 });
  }),

  proves("ROUTE-008", "responds with 405 and lists the methods of the routes", async (probe) => {
    const requests = {
      "DELETE /users/1": ["GET"],
      "PUT /search": ["GET", "QUERY"],
      "GET /echo": ["POST"],
      "PUT /lookup": ["QUERY"],
    };
    const seen: Record<string, unknown> = {};
    for (const request of Object.keys(requests)) {
      const [method = "", target = ""] = request.split(" ");
      const response = await probe.send(method, target);
      // HEAD and OPTIONS may work as well; what was rejected does not.
      const listed = response.list("allow").filter((one) => /^(?:GET|QUERY|POST)$/.test(one) || one === method);
      seen[request] = [response.status, ...listed.toSorted()];
    }
    const expected = Object.entries(requests).map(([request, methods]) => [request, [405, ...methods]]);
    probe.equal("status and the routes' methods", seen, Object.fromEntries(expected));
  }),

  proves("ROUTE-027", "lists in Allow exactly what works there, whatever was asked", async (probe) => {
    const users = await probe.send("DELETE", "/users/1");
    const search = await probe.send("PUT", "/search");
    const echo = await probe.send("GET", "/echo");
    const unknown = [await probe.send("PROPFIND", "/users/1"), await probe.send("MKCOL", "/users/1")];
    probe.equal(
      "status and Allow",
      [users, search, echo, ...unknown].map((response) => [response.status, ...response.list("allow").toSorted()]),
      [
        [405, "GET", "HEAD", "OPTIONS"],
        [405, "GET", "HEAD", "OPTIONS", "QUERY"],
        [405, "OPTIONS", "POST"],
        [405, "GET", "HEAD", "OPTIONS"],
        [405, "GET", "HEAD", "OPTIONS"],
      ],
    );
  }),

  proves("ROUTE-028", "responds to HEAD with the headers of GET", async (probe) => {
    const [head, get] = [await probe.send("HEAD", "/users/1"), await probe.send("GET", "/users/1")];
    const { id } = probe.json(SubjectId, get);
    const seen = ({ type, headers }: HttpResponse) => [
      type,
      new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => !framing.test(name))),
    ];
    probe.equal("the id, then type and headers", [id, ...seen(head)], ["1", ...seen(get)]);
  }),

  proves("ROUTE-009", "responds to HEAD with the status of GET", async (probe) => {
    const [head, get] = [await probe.send("HEAD", "/users/1"), await probe.send("GET", "/users/1")];
    const { id } = probe.json(SubjectId, get);
    probe.equal("the id, then the status", [id, head.status], ["1", get.status]);
    // RFC 9110, section 8.6: either may leave it out, and what is said is the length of what GET gets.
    const lengths = [head, get].flatMap((response) => response.header("content-length") ?? []);
    probe.ok("the lengths are the same", new Set(lengths).size <= 1, lengths);
  }),

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

  proves("ROUTE-010", "responds to OPTIONS with 204 and Allow", async (probe) => {
    const seen = [];
    for (const target of ["/search", "/lookup"]) {
      const response = await probe.send("OPTIONS", target);
      seen.push([response.status, response.text, ...response.list("allow").toSorted()]);
    }
    probe.equal("status, body and Allow", seen, [
      [204, "", "GET", "HEAD", "OPTIONS", "QUERY"],
      [204, "", "OPTIONS", "QUERY"],
    ]);
  }),

  proves("ROUTE-012", "runs global middleware for 404, 405 and OPTIONS", async (probe) => {
    const requests = [
      ["GET", `/${probe.token()}`],
      ["DELETE", "/users/1"],
      ["OPTIONS", "/users/1"],
    ] as const;
    const seen: unknown[] = [];
    for (const [method, target] of requests) {
      const { status, headers } = await probe.send(method, target, { headers: { "x-request-id": "global" } });
      seen.push([status, headers.some(([name, value]) => name.toLowerCase() === "x-request-id" && value === "global")]);
    }
    probe.equal("status, and whether the request id came back", seen, [
      [404, true],
      [405, true],
      [204, true],
    ]);
  }),

  proves("ROUTE-014", "rejects a request without a Host, and one with several, with 400", async (probe) => {
    const hosts = {
      none: "",
      two: "Host: a\r\nHost: b\r\n",
      "the same twice": "Host: a\r\nhost: a\r\n",
      one: "Host: a\r\n",
    };
    const seen: Record<string, unknown> = {};
    for (const [count, lines] of Object.entries(hosts)) {
      const request = `GET /users/hosts HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
      seen[count] = (await probe.raw(request, { responses: 1 })).responses[0]?.status;
    }
    probe.equal("the statuses", seen, { none: 400, two: 400, "the same twice": 400, one: 200 });
  }),

  proves("ROUTE-020", "rejects a Host that is no host and port with 400", async (probe) => {
    const bad = [
      "user@host",
      "host/path",
      "host/path?",
      "a,b",
      "a b",
      "[::1",
      "exa<mple",
      "x:99999",
      "x:80:80",
      "[::g]",
      "a%zz",
    ];
    const good = ["x", "x:1", "a.test:65535", "a_b", "[::1]:80", "127.0.0.1", "a%20b"];
    const seen: Record<string, unknown> = {};
    for (const host of [...bad, ...good]) {
      const request = `GET /users/host HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      seen[host] = (await probe.raw(request, { responses: 1 })).responses[0]?.status;
    }
    probe.equal("the statuses", seen, { ...every(bad, 400), ...every(good, 200) });
  }),

  proves(
    "ROUTE-021",
    "responds to OPTIONS * with 204 and every method, behind the global middleware",
    async (probe) => {
      const response = await probe.send("OPTIONS", "*", { headers: { "x-request-id": "anywhere" } });
      probe.equal(
        "status, request id and Allow",
        [response.status, response.header("x-request-id"), ...response.list("allow").toSorted()],
        [204, "anywhere", "GET", "HEAD", "OPTIONS", "POST", "QUERY"],
      );
    },
  ),

  proves("ROUTE-022", "rejects an expectation but 100-continue with 417, and logs it once", async (probe) => {
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
