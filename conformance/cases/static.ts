/** Static files: which there are, what they are sent with, and which parts of them. Spec: static.md (STATIC). */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Problem } from "../../spec/errors.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { Violation } from "../kit/violation.ts";

const digits = "0123456789";
const script = 'console.log("tea");\n'.repeat(100);
const home = "<h1>home</h1>";
/** What every file holds that no response may hold. */
const secret = "hunter2-files";
/** As a browser asks for a page. */
const page = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const old = "Thu, 01 Jan 1998 00:00:00 GMT";

type Headers = Readonly<Record<string, string>>;

const get = (probe: Probe, target: string, headers: Headers = {}): Promise<HttpResponse> =>
  probe.send("GET", target, { headers });

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

/** The statuses of these targets; a Violation where one holds what is no file's. */
async function statusesOf(probe: Probe, targets: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const target of targets) {
    const { status, text } = await get(probe, target);
    if (text.includes(secret) || text.includes("root:")) throw new Violation(`GET ${target} got what is no file's`);
    statuses.push(status);
  }
  return statuses;
}

/** The text as it is without its coding. */
function decoded({ bytes }: HttpResponse, coding: string | undefined): string {
  try {
    if (coding === "br") return brotliDecompressSync(bytes).toString();
    return (coding === "gzip" ? gunzipSync(bytes) : bytes).toString();
  } catch (error) {
    throw new Violation(`the body is not ${coding}: ${String(error)}`);
  }
}

/** The parameters of a `Content-Disposition: attachment`; a Violation where it is none, or one comes twice. */
function parametersOf(field = ""): ReadonlyMap<string, string> {
  const [whole = "", parameters = ""] =
    /^attachment((?:\s*;\s*[^\s=;"]+=(?:"(?:[^"\\]|\\.)*"|[^\s;"]*))*)\s*$/i.exec(field) ?? [];
  const pairs = [...parameters.matchAll(/;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g)].map(
    ([, name = "", quoted, plain = ""]) => [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain] as const,
  );
  const found = new Map(pairs);
  if (whole === "" || found.size !== pairs.length) throw new Violation(`no attachment of one name: ${field}`);
  return found;
}

/** The name that a client saves it under: `filename*` before `filename`, RFC 6266 section 4.3. */
function nameOf(field: string | undefined): string | undefined {
  const parameters = parametersOf(field);
  const [, extended] =
    /^utf-8'[^']*'((?:[\w!#$&+.^`|~-]|%[0-9a-f]{2})+)$/i.exec(parameters.get("filename*") ?? "") ?? [];
  return extended === undefined ? parameters.get("filename") : decodeURIComponent(extended);
}

const firstByte = { range: "bytes=0-0" };

/** The cases of this chapter. */
/** The coding in which a script is sent that lies there in br and gzip too, by what a client takes. */
const best: Readonly<Record<string, string | undefined>> = {
  "br, gzip": "br",
  gzip: "gzip",
  "br;q=0.1, gzip": "gzip",
  "zstd, gzip;q=0.5": "gzip",
  zstd: undefined,
  identity: undefined,
};

export const staticFiles = [
  proves("STATIC-001", "sends a file with what it is, and to HEAD the same head", async (probe) => {
    const seen: unknown[] = [];
    for (const method of ["GET", "HEAD"]) {
      const file = await probe.send(method, "/assets/index.html");
      const isTagged = /^(?:W\/)?"[!#-~]*"$/.test(file.header("etag") ?? "");
      const changed = file.header("last-modified") ?? "";
      const isDated = new Date(changed).toUTCString() === changed;
      // RFC 9110, section 8.6: a response to HEAD may leave it out.
      const length = file.header("content-length") ?? (method === "HEAD" ? String(home.length) : undefined);
      seen.push([file.status, file.type, length, file.set("accept-ranges").join(), isTagged, isDated, file.text]);
    }
    const head = [200, "text/html", String(home.length), "bytes", true, true];
    probe.equal("status, type, length, Accept-Ranges, whether there are a tag and a date, and the text", seen, [
      [...head, home],
      [...head, ""],
    ]);
    const [whole, part] = [await get(probe, "/assets/index.html"), await get(probe, "/assets/index.html", firstByte)];
    const saidOf = (file: HttpResponse) => ["content-type", "accept-ranges"].map((name) => file.all(name));
    probe.equal("what a part says of the file, as the whole does", saidOf(part), saidOf(whole));
  }),

  proves("STATIC-001", "finds names with blanks and beyond ASCII, and knows the types of others", async (probe) => {
    const seen: unknown[] = [];
    for (const path of ["gr%C3%BC%C3%9Fe%20an%20alle.txt", "bare/only.txt", "app-0123abcd.js"]) {
      const { status, type, text } = await get(probe, `/assets/${path}`);
      seen.push([status, type, text]);
    }
    probe.equal("status, type and text", seen, [
      [200, "text/plain", "grüße"],
      [200, "text/plain", "only"],
      [200, "text/javascript", script],
    ]);
  }),

  proves("STATIC-001", "leaves the path of a route to it, and what is below another prefix", async (probe) => {
    const route = await get(probe, "/assets/route.txt");
    const elsewhere = await get(probe, "/nowhere/route.txt");
    probe.equal("the text, and the status", [route.text, elsewhere.status], ["a route", 404]);
  }),

  proves("STATIC-002", "reaches nothing beside the folder, however the path is spelt", async (probe) => {
    const statuses = await statusesOf(
      probe,
      spellings.map((path) => `/assets${path}`),
    );
    const reached = spellings.filter((_, at) => !String(statuses[at]).startsWith("4"));
    probe.equal("what is reached, and a file", [reached, (await get(probe, "/assets/digits.txt")).text], [[], digits]);
  }),

  proves("STATIC-003", "has no file whose name begins with a dot, by no link either", async (probe) => {
    const hidden = ["/assets/.env", "/assets/%2eenv", "/assets/sub/.hidden", "/assets/hidden.txt", "/pages/.env"];
    const statuses = await statusesOf(probe, [...hidden, "/assets/bare/only.txt"]);
    probe.equal("the statuses, and that of a file", statuses, [404, 404, 404, 404, 404, 200]);
  }),

  proves("STATIC-004", "follows no link that leads out", async (probe) => {
    const targets = ["/assets/out.txt", "/assets/up/beside.txt", "/assets/inside.txt"];
    probe.equal(
      "the statuses of two, and of one that leads to a file",
      await statusesOf(probe, targets),
      [404, 404, 200],
    );
  }),

  proves("STATIC-005", "sends the part that is asked for", async (probe) => {
    const parts: Readonly<Record<string, readonly [text: string, range: string]>> = {
      "bytes=0-0": ["0", "bytes 0-0/10"],
      "bytes=2-4": ["234", "bytes 2-4/10"],
      "bytes=7-": ["789", "bytes 7-9/10"],
      "bytes=-3": ["789", "bytes 7-9/10"],
      "bytes=-99": [digits, "bytes 0-9/10"],
      "bytes=5-99": ["56789", "bytes 5-9/10"],
    };
    const seen: unknown[] = [];
    for (const range of Object.keys(parts)) {
      const part = await get(probe, "/assets/digits.txt", { range });
      seen.push([part.status, part.text, part.header("content-range")?.toLowerCase()]);
    }
    probe.equal(
      "status, text and Content-Range",
      seen,
      Object.values(parts).map((part) => [206, ...part]),
    );
  }),

  proves("STATIC-018", "says how long the file is where it has nothing of the range", async (probe) => {
    const seen: unknown[] = [];
    for (const range of ["bytes=10-", "bytes=99-100", "bytes=-0"]) {
      const none = await get(probe, "/assets/digits.txt", { range });
      seen.push([none.status, none.header("content-range")?.toLowerCase()]);
    }
    probe.equal("status and Content-Range", seen, [
      [416, "bytes */10"],
      [416, "bytes */10"],
      [416, "bytes */10"],
    ]);
  }),

  proves(
    "STATIC-006",
    "sends the file whole where several ranges are asked for, or none that is one",
    async (probe) => {
      const ranges = ["bytes=0-1,3-4", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "lines=0-1", "bytes 0-1"];
      const seen: unknown[] = [];
      for (const range of ranges) {
        const { status, text } = await get(probe, "/assets/digits.txt", { range });
        seen.push([range, status, text]);
      }
      probe.equal(
        "status and text",
        seen,
        ranges.map((range) => [range, 200, digits]),
      );
    },
  ),

  proves("STATIC-007", "evaluates conditions against the file's tag and date", async (probe) => {
    const file = await get(probe, "/assets/digits.txt");
    const [tag = "", date = ""] = [file.header("etag"), file.header("last-modified")];
    const range = "bytes=0-3";
    const conditions: readonly (readonly [headers: Headers, status: number, text?: string])[] = [
      [{ "if-none-match": tag }, 304, ""],
      [{ "if-none-match": `"other", W/${tag}` }, 304, ""],
      [{ "if-none-match": '"other"' }, 200, digits],
      [{ "if-modified-since": date }, 304, ""],
      [{ "if-modified-since": old }, 200, digits],
      [{ "if-none-match": '"other"', "if-modified-since": date }, 200, digits],
      [{ "if-match": tag }, 200, digits],
      [{ "if-match": '"other"' }, 412],
      [{ "if-unmodified-since": old }, 412],
      [{ range, "if-range": tag }, 206, "0123"],
      [{ range, "if-range": date }, 206, "0123"],
      [{ range, "if-range": '"other"' }, 200, digits],
      [{ range: "bytes=10-", "if-none-match": tag }, 304, ""],
    ];
    const seen: unknown[] = [];
    for (const [headers, , expected] of conditions) {
      const { status, text } = await get(probe, "/assets/digits.txt", headers);
      seen.push([headers, status, ...(expected === undefined ? [] : [text])]);
    }
    probe.equal("status and text", seen, conditions);
  }),

  proves("STATIC-007", "has a tag for each file, and names it and its date with every part of it", async (probe) => {
    const file = await get(probe, "/assets/digits.txt");
    const [tag = "", date] = [file.header("etag"), file.header("last-modified")];
    const [part, known] = [
      await get(probe, "/assets/digits.txt", { range: "bytes=0-0" }),
      await get(probe, "/assets/digits.txt", { "if-none-match": tag }),
    ];
    const said = [part.header("etag"), part.header("last-modified"), known.header("etag")];
    probe.equal("tag and date of a part, tag of 304", said, [tag, date, tag]);
    const other = (await get(probe, "/assets/bare/only.txt")).header("etag");
    probe.equal(
      "whether it is another file's",
      [tag === "", other === undefined, other === tag],
      [false, false, false],
    );
  }),

  proves("STATIC-008", "sends the file in the coding that is liked best of those that lie there", async (probe) => {
    const [seen, tags] = [[] as unknown[], new Set<string | undefined>()];
    for (const accepted of Object.keys(best)) {
      const file = await get(probe, "/assets/app-0123abcd.js", { "accept-encoding": accepted });
      const coding = file.header("content-encoding")?.toLowerCase();
      seen.push([accepted, coding, file.type, decoded(file, coding)]);
      tags.add(file.header("etag"));
    }
    probe.equal(
      "coding, type and text",
      seen,
      Object.entries(best).map(([accepted, coding]) => [accepted, coding, "text/javascript", script]),
    );
    probe.equal("the number of tags", tags.size, 3);
  }),

  proves(
    "STATIC-019",
    "says that it depends on the codings, also where none lies beside it or nothing is sent",
    async (probe) => {
      const br = { "accept-encoding": "br" };
      for (const accepted of Object.keys(best)) {
        const file = await get(probe, "/assets/app-0123abcd.js", { "accept-encoding": accepted });
        probe.equal(`whether Vary has it for ${accepted}`, file.set("vary").includes("accept-encoding"), true);
      }
      const plain = await get(probe, "/assets/digits.txt", br);
      const tag = plain.header("etag") ?? "";
      const others = [
        await get(probe, "/assets/digits.txt", { ...br, "if-none-match": tag }),
        await get(probe, "/assets/digits.txt", { ...br, range: "bytes=0-0" }),
      ];
      probe.equal(
        "status, coding, and whether Vary has it",
        [plain, ...others].map((one) => [
          one.status,
          one.header("content-encoding"),
          one.set("vary").includes("accept-encoding"),
        ]),
        [200, 304, 206].map((status) => [status, undefined, true]),
      );
    },
  ),

  proves("STATIC-009", "sends the fallback to who opens a page", async (probe) => {
    const seen: unknown[] = [];
    for (const method of ["GET", "HEAD"]) {
      const { status, type, text } = await probe.send(method, "/pages/orders/7", { headers: page });
      seen.push([status, type, text]);
    }
    const navigating = { ...page, "sec-fetch-mode": "navigate" };
    seen.push((await get(probe, "/pages/orders.v2", navigating)).text);
    seen.push((await get(probe, "/pages/digits.txt", page)).text, (await get(probe, "/pages/route", page)).text);
    probe.equal("status, type and text, also of HEAD; where the name has a dot; of a file and a route", seen, [
      [200, "text/html", home],
      [200, "text/html", ""],
      home,
      digits,
      "a route",
    ]);
  }),

  proves("STATIC-009", "sends it to nobody else", async (probe) => {
    const others: readonly (readonly [method: string, target: string, headers: Headers])[] = [
      ["GET", "/pages/orders/7", { accept: "application/json" }],
      ["GET", "/pages/orders/7", { accept: "*/*" }],
      ["GET", "/pages/orders/7", {}],
      ["GET", "/pages/orders/7", { ...page, "sec-fetch-mode": "cors" }],
      ["POST", "/pages/orders/7", page],
      ["GET", "/assets/orders/7", page],
    ];
    const seen: unknown[] = [];
    for (const [method, target, headers] of others) {
      const { status, text } = await probe.send(method, target, { headers });
      seen.push([status, text.includes(home)]);
    }
    probe.equal(
      "status, and whether it is that",
      seen,
      others.map(() => [404, false]),
    );
  }),

  proves("STATIC-010", "redirects a folder to its slash", async (probe) => {
    const folder = await get(probe, "/assets/sub?a=1&b=%20");
    const to = new URL(folder.header("location") ?? "", new URL("/assets/sub?a=1&b=%20", probe.base));
    probe.equal(
      "the redirect",
      [folder.status, to.host, to.pathname + to.search],
      [301, probe.base.host, "/assets/sub/?a=1&b=%20"],
    );
  }),

  proves("STATIC-020", "sends a folder's index file behind its slash", async (probe) => {
    const [sub, top] = [await get(probe, "/assets/sub/"), await get(probe, "/assets/")];
    probe.equal(
      "both index files",
      [sub, top].map(({ status, text }) => [status, text]),
      [
        [200, "<h1>sub</h1>"],
        [200, home],
      ],
    );
  }),

  proves(
    "STATIC-011",
    "says of what never changes that it does not, and of others how long they hold",
    async (probe) => {
      const seen: unknown[] = [];
      for (const path of ["/assets/app-0123abcd.js", "/assets/digits.txt", "/pages/digits.txt"]) {
        const directives = (await get(probe, path)).set("cache-control");
        seen.push([path, directives.filter((one) => one.startsWith("max-age")), directives.includes("immutable")]);
      }
      const tag = (await get(probe, "/assets/digits.txt")).header("etag") ?? "";
      const known = await get(probe, "/assets/digits.txt", { "if-none-match": tag });
      const part = await get(probe, "/assets/digits.txt", { range: "bytes=0-0" });
      for (const one of [known, part]) seen.push([one.status, one.set("cache-control").includes("max-age=60")]);
      probe.equal("max-age, and whether it is immutable; of 304 and 206 too", seen, [
        ["/assets/app-0123abcd.js", ["max-age=31536000"], true],
        ["/assets/digits.txt", ["max-age=60"], false],
        ["/pages/digits.txt", ["max-age=0"], false],
        [304, true],
        [206, true],
      ]);
    },
  ),

  proves("STATIC-013", "sends downloads under their names", async (probe) => {
    const names = ["report.pdf", "two words.txt", "Übersicht 日本.pdf", 'say "hi".txt', 'a"; filename="evil.exe'];
    const seen: unknown[] = [];
    for (const name of names) {
      const download = await get(probe, `/download?name=${encodeURIComponent(name)}`);
      seen.push([download.status, nameOf(download.header("content-disposition")), download.text]);
    }
    probe.equal(
      "statuses, names and texts",
      seen,
      names.map((name) => [200, name, "saved"]),
    );
  }),

  proves("STATIC-021", "lets no name leave the folder, or begin another field", async (probe) => {
    const names = ["/etc/passwd", "../../up.txt", "..\\..\\boot.ini", "a\r\nX-Evil: 1.txt"];
    const seen: unknown[] = [];
    for (const name of names) {
      const download = await get(probe, `/download?name=${encodeURIComponent(name)}`);
      const field = download.header("content-disposition");
      const said = [nameOf(field) ?? "", parametersOf(field).get("filename") ?? ""];
      seen.push([said.some((one) => one === "" || /[/\\]|^\.\.?$/.test(one)), download.header("x-evil")]);
    }
    probe.equal(
      "whether it is no name or leads elsewhere, and the other field",
      seen,
      names.map(() => [false, undefined]),
    );
  }),

  proves("STATIC-016", "responds with problems where a file cannot be sent as is wanted", async (probe) => {
    const asked: readonly (readonly [target: string, headers: Headers])[] = [
      ["/assets/none.txt", {}],
      ["/assets/digits.txt", { "if-match": '"other"' }],
      ["/assets/digits.txt", { range: "bytes=10-" }],
    ];
    const seen: unknown[] = [];
    for (const [target, headers] of asked) {
      const problem = await get(probe, target, headers);
      seen.push([problem.status, problem.type, probe.json(Problem, problem).status]);
    }
    probe.equal(
      "status, type, and the status within",
      seen,
      [404, 412, 416].map((status) => [status, "application/problem+json", status]),
    );
  }),

  proves("STATIC-017", "says what a page depends on, also where there is none", async (probe) => {
    const seen: unknown[] = [];
    for (const headers of [page, { accept: "application/json" }]) {
      const response = await get(probe, "/pages/orders/8", headers);
      const vary = response.set("vary");
      seen.push([response.status, vary.includes("accept"), vary.includes("sec-fetch-mode")]);
    }
    probe.equal("status, and whether Vary has Accept and Sec-Fetch-Mode", seen, [
      [200, true, true],
      [404, true, true],
    ]);
  }),
];
