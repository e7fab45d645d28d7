/** Static files as data: which there are, what they are sent with, and which parts of them. Spec: static.md (STATIC). */
import {
  caseless,
  holds,
  shows,
  step,
  type BodyPartExpectation,
  type Expectation,
  type HeaderExpectation,
  type HeaderValueExpectation,
  type Step,
  type StepOptions,
} from "./vector.ts";

const digits = "0123456789";
const script = 'console.log("tea");\n'.repeat(100);
const home = "<h1>home</h1>";
/** As a browser asks for a page. */
const page = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const old = "Thu, 01 Jan 1998 00:00:00 GMT";
const date = "^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT$";

const get = (target: string, expect: Expectation, headers: Record<string, string> = {}, options?: StepOptions): Step =>
  step("GET", target, expect, { headers }, options);

const text = (is: string): Expectation => ({ status: 200, body: { is } });
const status = (target: string, is: number | string): Step => get(target, { status: is });

/** Where it lies beside the folder, spelt as a careless server takes it for below. */
const spellings = [
  "/../beside.txt",
  "/%2e%2e/beside.txt",
  "/.%2E/beside.txt",
  "/..%2fbeside.txt",
  "/%2e%2e%2fbeside.txt",
  "/..\\beside.txt",
  "/..%5cbeside.txt",
  "/%252e%252e%252fbeside.txt",
  "/..%00/beside.txt",
  "/..//beside.txt",
  "//../beside.txt",
  "/./../beside.txt",
  "/..;/beside.txt",
  "/%c0%ae%c0%ae/beside.txt",
  "/..%c0%afbeside.txt",
  "/sub/../../beside.txt",
  "/sub/..%2f..%2fbeside.txt",
  "/digits.txt/../../beside.txt",
  "/....//beside.txt",
  "//etc/passwd",
  "/%2fetc%2fpasswd",
  "/..%EF%BC%8Fbeside.txt",
  "/%00/../../beside.txt",
  "/../public/.env",
];
/** What every file holds that no response may hold. */
const unseen: BodyPartExpectation[] = [{ lacks: "hunter2-files" }, { lacks: "root:" }];

const range = (bytes: string): HeaderValueExpectation => ({
  matches: `^${caseless("bytes")} ${bytes.replace("*", "\\*")}$`,
});
const parts: Readonly<Record<string, readonly [text: string, range: string]>> = {
  "bytes=0-0": ["0", "0-0/10"],
  "bytes=2-4": ["234", "2-4/10"],
  "bytes=7-": ["789", "7-9/10"],
  "bytes=-3": ["789", "7-9/10"],
  "bytes=-99": [digits, "0-9/10"],
  "bytes=5-10": ["56789", "5-9/10"],
  "bytes=5-99": ["56789", "5-9/10"],
};
const first = { range: "bytes=0-3" };

/** What is asked with the file's tag and date, and what becomes of it. */
const conditions: readonly (readonly [headers: Record<string, string>, expect: Expectation])[] = [
  [{ "if-none-match": "{{tag}}" }, { status: 304, body: { is: "" } }],
  [{ "if-none-match": '"other", W/{{tag}}' }, { status: 304, body: { is: "" } }],
  [{ "if-none-match": '"other"' }, text(digits)],
  [{ "if-modified-since": "{{date}}" }, { status: 304, body: { is: "" } }],
  [{ "if-modified-since": old }, text(digits)],
  [{ "if-none-match": '"other"', "if-modified-since": "{{date}}" }, text(digits)],
  [{ "if-match": "{{tag}}" }, text(digits)],
  [{ "if-match": '"other"' }, { status: 412 }],
  [{ "if-unmodified-since": old }, { status: 412 }],
  [
    { ...first, "if-range": "{{tag}}" },
    { status: 206, body: { is: "0123" } },
  ],
  [
    { ...first, "if-range": "{{date}}" },
    { status: 206, body: { is: "0123" } },
  ],
  [{ ...first, "if-range": '"other"' }, text(digits)],
  [
    { range: "bytes=10-", "if-none-match": "{{tag}}" },
    { status: 304, body: { is: "" } },
  ],
];
const saving: StepOptions = { save: { tag: { header: "etag" }, date: { header: "last-modified" } } };

/** The coding in which a script is sent that lies there in br and gzip too, by what a client takes. */
const best: Readonly<Record<string, string | undefined>> = {
  "br, gzip": "br",
  gzip: "gzip",
  "br;q=0.1, gzip": "gzip",
  "zstd, gzip;q=0.5": "gzip",
  zstd: undefined,
  identity: undefined,
};
const packed = "/assets/app-0123abcd.js";
const br = { "accept-encoding": "br" };
const dependent: HeaderExpectation = { names: "Accept-Encoding" };

/** The script in that coding, of which only gzip is read. */
const inCoding = (accepted: string, coding: string | undefined, tag: HeaderExpectation, options?: StepOptions): Step =>
  get(
    packed,
    {
      status: 200,
      headers: {
        "content-encoding": coding === undefined ? null : { names: coding },
        "content-type": { mediaType: "text/javascript" },
        etag: tag,
      },
      ...(coding !== "br" && { body: { is: script } }),
    },
    { "accept-encoding": accepted },
    options,
  );

const lasting = (seconds: number, isImmutable: boolean): HeaderExpectation => [
  { names: `max-age=${seconds}` },
  isImmutable ? { names: "immutable" } : { lacks: "immutable" },
];
const home200 = (body: string): Expectation => ({
  status: 200,
  headers: { "content-type": { mediaType: "text/html" } },
  body: { is: body },
});
const noFallback: Expectation = { status: 404, body: { lacks: home } };
const problem = (is: number): Expectation => ({
  status: is,
  headers: { "content-type": { mediaType: "application/problem+json" } },
  body: holds({ status: is }),
});

/** The vectors of this chapter. */
export const staticFiles = [
  shows(
    "STATIC-001",
    "a file is sent with what it is, and HEAD gets the same head",
    Object.entries({ GET: home, HEAD: "" }).map(([method, body]) =>
      step(method, "/assets/index.html", {
        ...home200(body),
        headers: {
          "content-type": { mediaType: "text/html" },
          "content-length": method === "GET" ? { is: String(home.length) } : { sameAs: 1 },
          "accept-ranges": { namesAre: ["bytes"] },
          etag: { matches: '^(?:W/)?"[!#-~]*"$' },
          "last-modified": { matches: date },
        },
      }),
    ),
  ),
  shows("STATIC-001", "a part says of the file what the whole does", [
    get("/assets/index.html", { status: 200, headers: { "content-type": { present: true } } }),
    get(
      "/assets/index.html",
      {
        status: 206,
        headers: {
          "content-type": [{ present: true }, { mediaType: "text/html" }],
          "accept-ranges": { namesAre: ["bytes"] },
        },
      },
      { range: "bytes=0-0" },
    ),
  ]),
  shows("STATIC-001", "names with blanks and beyond ASCII are found, and the types of others known", [
    ...Object.entries({ "gr%C3%BC%C3%9Fe%20an%20alle.txt": "grüße", "bare/only.txt": "only" }).map(([path, is]) =>
      get(`/assets/${path}`, { ...text(is), headers: { "content-type": { mediaType: "text/plain" } } }),
    ),
    get("/assets/digits.txt", { status: 200 }, {}, { save: { type: { header: "content-type" } } }),
    get("/assets/digits.txt", { headers: { "content-type": { is: "{{type}}" } } }, { range: "bytes=0-0" }),
    get(packed, { ...text(script), headers: { "content-type": { mediaType: "text/javascript" } } }),
  ]),
  shows("STATIC-001", "the path of a route is left to it, and what is below another prefix", [
    get("/assets/route.txt", text("a route")),
    status("/nowhere/route.txt", 404),
  ]),
  shows("STATIC-002", "nothing beside the folder is reached, however the path is spelt", [
    ...spellings.map((path) => get(`/assets${path}`, { status: "4xx", body: unseen })),
    get("/assets/digits.txt", text(digits)),
  ]),
  shows("STATIC-003", "a name that begins with a dot is no file's, by no link either", [
    ...["/assets/.env", "/assets/%2eenv", "/assets/sub/.hidden", "/assets/hidden.txt", "/pages/.env"].map((target) =>
      get(target, { status: 404, body: unseen }),
    ),
    status("/assets/bare/only.txt", 200),
  ]),
  shows("STATIC-004", "a link that leads out is not followed", [
    ...["/assets/out.txt", "/assets/up/beside.txt"].map((target) => get(target, { status: 404, body: unseen })),
    status("/assets/inside.txt", 200),
  ]),
  shows(
    "STATIC-005",
    "the part that is asked for is sent",
    Object.entries(parts).map(([asked, [is, sent]]) =>
      get(
        "/assets/digits.txt",
        { status: 206, headers: { "content-range": range(sent) }, body: { is } },
        { range: asked },
      ),
    ),
  ),
  shows("STATIC-022", "a part of a file has the tag of the whole", [
    get("/assets/digits.txt", text(digits), {}, saving),
    get("/assets/digits.txt", { headers: { etag: { is: "{{tag}}" } } }, { range: "bytes=0-0" }),
  ]),
  shows(
    "STATIC-018",
    "where the file has nothing of the range the response says how long it is",
    ["bytes=10-", "bytes=99-100", "bytes=-0"].map((asked) =>
      get("/assets/digits.txt", { status: 416, headers: { "content-range": range("*/10") } }, { range: asked }),
    ),
  ),
  shows(
    "STATIC-006",
    "the file is sent whole where several ranges are asked for, or none that is one",
    ["bytes=0-1,3-4", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "lines=0-1", "bytes 0-1"].map((asked) =>
      get("/assets/digits.txt", text(digits), { range: asked }),
    ),
  ),
  shows("STATIC-007", "conditions are evaluated against the file's tag and date", [
    get("/assets/digits.txt", { status: 200 }, {}, saving),
    ...conditions.map(([headers, expect]) => get("/assets/digits.txt", expect, headers)),
  ]),
  shows("STATIC-007", "each file has a tag, which comes with its date with every part of it", [
    get("/assets/digits.txt", { status: 200 }, {}, saving),
    get(
      "/assets/digits.txt",
      { headers: { etag: { is: "{{tag}}" }, "last-modified": { is: "{{date}}" } } },
      { range: "bytes=0-0" },
    ),
    get("/assets/digits.txt", { headers: { etag: { is: "{{tag}}" } } }, { "if-none-match": "{{tag}}" }),
    get("/assets/bare/only.txt", { headers: { etag: { not: "{{tag}}" } } }),
  ]),
  shows("STATIC-008", "a file is sent in the coding that is liked best of those that lie there", [
    inCoding("br, gzip", "br", { present: true }, { save: { br: { header: "etag" } } }),
    inCoding("gzip", "gzip", { not: "{{br}}" }, { save: { gzip: { header: "etag" } } }),
    ...Object.entries(best).map(([accepted, coding]) =>
      inCoding(
        accepted,
        coding,
        coding === undefined ? [{ not: "{{br}}" }, { not: "{{gzip}}" }] : { is: `{{${coding}}}` },
      ),
    ),
  ]),
  shows("STATIC-019", "the response depends on the codings, also where none lies beside it or nothing is sent", [
    ...Object.keys(best).map((accepted) =>
      get(packed, { headers: { vary: dependent } }, { "accept-encoding": accepted }),
    ),
    get("/assets/digits.txt", { status: 200, headers: { "content-encoding": null, vary: dependent } }, br, saving),
    get(
      "/assets/digits.txt",
      { status: 304, headers: { "content-encoding": null, vary: dependent } },
      { ...br, "if-none-match": "{{tag}}" },
    ),
    get(
      "/assets/digits.txt",
      { status: 206, headers: { "content-encoding": null, vary: dependent } },
      { ...br, range: "bytes=0-0" },
    ),
  ]),
  shows("STATIC-009", "who opens a page gets the fallback", [
    get("/pages/orders/7", home200(home), page),
    step("HEAD", "/pages/orders/7", home200(""), { headers: page }),
    get("/pages/orders.v2", text(home), { ...page, "sec-fetch-mode": "navigate" }),
    get("/pages/digits.txt", text(digits), page),
    get("/pages/route", text("a route"), page),
  ]),
  shows("STATIC-009", "nobody else gets the fallback", [
    get("/pages/orders/7", noFallback, { accept: "application/json" }),
    get("/pages/orders/7", noFallback, { accept: "*/*" }),
    get("/pages/orders/7", noFallback),
    get("/pages/orders/7", noFallback, { ...page, "sec-fetch-mode": "cors" }),
    step("POST", "/pages/orders/7", noFallback, { headers: page }),
    get("/assets/orders/7", noFallback, page),
    get("/pages/digits.txt", text(digits), page),
  ]),
  shows("STATIC-010", "a folder is redirected to its slash", [
    get("/assets/sub?a=1&b=%20", {
      status: 301,
      headers: { location: { matches: "^(?:(?:{{origin}})?/assets/sub/|sub/)\\?a=1&b=%20$" } },
    }),
  ]),
  shows("STATIC-020", "a folder's index file is behind its slash", [
    get("/assets/sub/", text("<h1>sub</h1>")),
    get("/assets/", text(home)),
  ]),
  shows("STATIC-011", "the response says of what never changes that it does not, and of others how long they hold", [
    get(packed, { headers: { "cache-control": lasting(31_536_000, true) } }),
    get("/pages/digits.txt", { headers: { "cache-control": lasting(0, false) } }),
    get("/assets/digits.txt", { headers: { "cache-control": lasting(60, false) } }, {}, saving),
    get(
      "/assets/digits.txt",
      { status: 304, headers: { "cache-control": { names: "max-age=60" } } },
      { "if-none-match": "{{tag}}" },
    ),
    get(
      "/assets/digits.txt",
      { status: 206, headers: { "cache-control": { names: "max-age=60" } } },
      { range: "bytes=0-0" },
    ),
  ]),
  shows("STATIC-016", "where a file cannot be sent as is wanted the response is a problem", [
    get("/assets/none.txt", problem(404)),
    get("/assets/digits.txt", problem(412), { "if-match": '"other"' }),
    get("/assets/digits.txt", problem(416), { range: "bytes=10-" }),
  ]),
  shows(
    "STATIC-017",
    "the response says what a page depends on, also where there is none",
    [[page, 200] as const, [{ accept: "application/json" }, 404] as const].map(([headers, is]) =>
      get(
        "/pages/orders/8",
        { status: is, headers: { vary: [{ names: "Accept" }, { names: "Sec-Fetch-Mode" }] } },
        headers,
      ),
    ),
  ),
];
