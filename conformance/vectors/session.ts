/** What is remembered of a client, as data. Spec: session.md (SESSION). */
import { traced } from "./traces.ts";
import {
  caseless,
  holds,
  shows,
  step,
  type Expectation,
  type HeaderExpectation,
  type Step,
  type StepOptions,
} from "./vector.ts";

/** Both ways of keeping a session, which behave alike. */
const kinds = ["sealed", "kept"] as const;
const both = (steps: (kind: string, name: string) => readonly Step[]): readonly Step[] =>
  kinds.flatMap((kind) => steps(kind, `{{token}}-${kind}`));

const value = "(?:^|, )__Host-session=([^;, ]*)";
const saving = (as = "cookie"): StepOptions => ({ save: { [as]: { header: "set-cookie", part: value } } });
/** The value of a cookie that was saved. */
const saved = (as = "cookie"): string => `{{${as}}}`;

const holding = (name: string | null, ...items: readonly string[]): Expectation => ({
  status: 200,
  body: holds({ name, items: [...items] }),
});
const nothing = holding(null);
const silent: Expectation = { status: 200, headers: { "set-cookie": { without: value } } };
const other = (cookie: string): HeaderExpectation => [{ matches: value }, { not: cookie }];

/** A request of one kind of sessions, with that value of the cookie. */
const ask = (
  method: string,
  path: string,
  expect: Expectation | undefined,
  cookie?: string,
  options?: StepOptions,
): Step =>
  step(
    method,
    `/sessions/${path}`,
    expect,
    cookie === undefined ? {} : { headers: { cookie: `__Host-session=${cookie}` } },
    options,
  );

/** A session that holds its name; its cookie is saved. */
const known = (kind: string, name: string, as?: string): Step =>
  ask("POST", `${kind}/values/${name}`, holding(name), undefined, saving(as));

const letters = "A".repeat(43);
/** Cookies that no app has sent. */
const madeUp = ["x", "1.", letters, `${letters}.0`, `1.${letters}`, `1.${"A".repeat(200)}`];

/** Requests of one client that each set the cookie, each before what is asked behind it. */
const writing = (kind: string, expect: Expectation, behind: (cookie?: string) => readonly Step[]): readonly Step[] => [
  ask("POST", `${kind}/values/{{token}}`, expect, undefined, saving()),
  ...behind(saved()),
  ask("POST", `${kind}/items/lamp`, expect, saved(), saving()),
  ...behind(saved()),
  ask("POST", `${kind}/renewed`, expect, saved(), saving()),
  ...behind(saved()),
  ask("POST", `${kind}/values/{{token}}-2?fail=yes`, expect, saved(), saving()),
  ...behind(saved()),
  ask("POST", `${kind}/ended`, expect, saved()),
  ...behind(),
];

/** A request whose trace says this of the session. */
const told = (method: string, path: string, mark: string, found: boolean, outcome: string, values: object) =>
  traced(
    method,
    `/sessions/kept${path}`,
    {
      "/annotations/[name=session]/value/found": { is: found },
      "/annotations/[name=session]/value/outcome": { is: outcome },
      "/annotations/[name=session]/value/values": { is: values },
    },
    { mark, ...(found ? { content: { headers: { cookie: `__Host-session=${saved()}` } } } : saving()) },
  );

/** The vectors of this chapter. */
export const session = [
  shows(
    "SESSION-001",
    "no cookie is sent as long as nothing is set",
    both((kind) => [
      ask("GET", kind, { ...silent, ...nothing }),
      ask("GET", `${kind}/unasked`, { ...silent, body: holds({ id: "unasked" }) }),
      ask("POST", `${kind}/ended`, { ...silent, ...nothing }),
    ]),
  ),
  shows(
    "SESSION-002",
    "what was set is held in the requests that follow, for that client alone",
    both((kind, name) => [
      known(kind, name, "mine"),
      known(kind, `${name}-other`, "other"),
      ask("POST", `${kind}/items/lamp`, holding(name, "lamp"), saved("mine"), saving("mine")),
      ask("GET", kind, holding(name, "lamp"), saved("mine")),
      ask("GET", kind, holding(name, "lamp"), saved("mine")),
      ask("GET", kind, holding(`${name}-other`), saved("other")),
      ask("GET", kind, nothing),
    ]),
  ),
  shows(
    "SESSION-003",
    "nothing is written when nothing has changed",
    both((kind, name) => [
      known(kind, name),
      ask("POST", `${kind}/items/lamp`, { status: 200 }, saved(), saving()),
      ask("GET", kind, silent, saved()),
      ask("GET", `${kind}/unasked`, silent, saved()),
      ask("POST", `${kind}/values/${name}`, silent, saved()),
    ]),
  ),
  shows(
    "SESSION-032",
    "what has changed within is written",
    both((kind, name) => {
      // A store may keep what has changed under the same cookie.
      const anew = kind === "sealed" ? saving() : {};
      return [
        known(kind, name),
        ask("POST", `${kind}/items/lamp`, { status: 200 }, saved(), anew),
        ask("POST", `${kind}/items/desk`, holding(name, "lamp", "desk"), saved(), anew),
        ask("GET", kind, holding(name, "lamp", "desk"), saved()),
      ];
    }),
  ),
  shows(
    "SESSION-004",
    "what a client has made up leads to nothing",
    both((kind) => madeUp.map((made) => ask("GET", kind, nothing, made))),
  ),
  shows(
    "SESSION-033",
    "nothing is taken over that a client has made up",
    both((kind, name) =>
      madeUp.flatMap((made) => [
        ask(
          "POST",
          `${kind}/values/${name}`,
          { ...holding(name), headers: { "set-cookie": { matches: value } } },
          made,
          saving(),
        ),
        ask("GET", kind, holding(name), saved()),
        ask("GET", kind, nothing, made),
      ]),
    ),
  ),
  shows(
    "SESSION-005",
    "a session gets a new identity with the same values",
    both((kind, name) => [
      known(kind, name, "planted"),
      ask(
        "POST",
        `${kind}/renewed`,
        { ...holding(name), headers: { "set-cookie": other(saved("planted")) } },
        saved("planted"),
        saving(),
      ),
      ask("POST", `${kind}/values/${name}-2`, holding(`${name}-2`), saved(), kind === "sealed" ? saving() : {}),
      ...(kind === "kept" ? [ask("GET", kind, nothing, saved("planted"))] : []),
      ask("GET", kind, holding(`${name}-2`), saved()),
    ]),
  ),
  shows(
    "SESSION-006",
    "the cookie of a session that ends is deleted, and the session in a store",
    both((kind, name) => [
      known(kind, name),
      ask(
        "POST",
        `${kind}/ended`,
        {
          ...nothing,
          headers: {
            "set-cookie": [
              { matches: value },
              { matches: `;\\s*${caseless("path")}=/\\s*(?:;|$)` },
              { matches: `;\\s*(?:${caseless("max-age")}=0|${caseless("expires")}=Thu, 01 Jan 1970)` },
            ],
          },
        },
        saved(),
      ),
      ...(kind === "kept" ? [ask("GET", kind, nothing, saved())] : []),
    ]),
  ),
  shows("SESSION-008", "what an older secret has sealed is opened, and sealed anew by the first", [
    known("sealed", "{{token}}", "older"),
    ask(
      "GET",
      "rotated",
      { ...holding("{{token}}"), headers: { "set-cookie": { matches: value } } },
      saved("older"),
      saving("anew"),
    ),
    ask("GET", "rotated", { ...silent, ...holding("{{token}}") }, saved("anew")),
    ask("GET", "sealed", nothing, saved("anew")),
  ]),
  shows(
    "SESSION-011",
    "a session is saved before the head of an error response",
    both((kind, name) => [
      ask("POST", `${kind}/values/${name}?fail=yes`, { status: 409 }, undefined, saving()),
      ask("GET", kind, holding(name), saved()),
    ]),
  ),
  shows(
    "SESSION-012",
    "a response that sets the cookie is kept out of caches",
    both((kind) => writing(kind, { headers: { "cache-control": { names: "no-store" } } }, () => [])),
  ),
  shows(
    "SESSION-034",
    "responses that read the session are kept apart",
    both((kind) => {
      const apart = { headers: { vary: { names: "Cookie" } } };
      return [ask("GET", kind, apart), ...writing(kind, apart, (cookie) => [ask("GET", kind, apart, cookie)])];
    }),
  ),
  shows(
    "SESSION-013",
    "a session that its cookie cannot hold is rejected, and the error names the store",
    traced(
      "POST",
      "/sessions/sealed/values/{{x*4100}}",
      { "/error/message": { matches: "[Ss]tore" } },
      { expect: { status: 500, headers: { "set-cookie": { without: value } } } },
    ),
  ),
  shows("SESSION-017", "a request that needs a store that fails or is silent gets 503, and no other", [
    known("kept", "{{token}}"),
    ...["failing", "silent"].flatMap((kind) => [
      ask("GET", kind, { status: 503, headers: { "set-cookie": { without: value } } }, saved()),
      ask("POST", `${kind}/values/{{token}}`, { status: 503, headers: { "set-cookie": { without: value } } }),
      ask("GET", kind, silent),
      ask("GET", `${kind}/unasked`, silent),
    ]),
  ]),
  shows("SESSION-031", "the response says after how many seconds to try a store that fails again", [
    known("kept", "{{token}}"),
    ask("GET", "failing", { headers: { "retry-after": { matches: "^[1-9]\\d*$" } } }, saved()),
    ask("POST", "failing/values/{{token}}", { headers: { "retry-after": { matches: "^[1-9]\\d*$" } } }),
  ]),
  shows("SESSION-018", "the app goes on without sessions where that is asked for, and ends and renews none", [
    known("kept", "{{token}}"),
    ask("GET", "lenient", nothing, saved()),
    ask("POST", "lenient/values/{{token}}", silent, saved()),
    ask("POST", "lenient/ended", { status: 503 }, saved()),
    ask("POST", "lenient/renewed", { status: 503 }, saved()),
  ]),
  shows("SESSION-035", "a page of a subdomain changes no session unless that is allowed", [
    ...["same-site", "cross-site"].map((site) =>
      step("POST", "/sessions/kept/values/{{token}}", { status: 403 }, { headers: { "sec-fetch-site": site } }),
    ),
    step("POST", "/sessions/kept/values/{{token}}", { status: 403 }, { headers: { origin: "https://evil.example" } }),
    step("POST", "/sessions/kept/values/{{token}}", { status: 200 }, { headers: { "sec-fetch-site": "same-origin" } }),
    step("POST", "/sessions/lenient/values/{{token}}", { status: 200 }, { headers: { "sec-fetch-site": "same-site" } }),
  ]),
  shows("SESSION-030", "a trace says whether there was a session, what has become of it, and what it holds", [
    ...told("POST", "/values/{{token}}", "begun", false, "created", { name: "{{token}}" }),
    ...told("GET", "", "later", true, "none", { name: "{{token}}" }),
    ...told("POST", "/ended", "ended", true, "destroyed", {}),
  ]),
];
