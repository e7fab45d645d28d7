/**
 * Attempts: well-formed requests for data that the client must not get. The subject's handlers, log lines and devtools show
 * whether one got it.
 */
import fc from "fast-check";
import { each, grouped } from "../rows.ts";
import { beside } from "../subject/essentials.ts";
import { Client, type WireResponse, type Sent } from "../wires.ts";
import type { Aim, Attack } from "./aim.ts";
import { listed } from "./vocabulary.ts";

/** Sends all of them over a few connections and counts the statuses. Status 0 is no response. */
async function asked(
  { wire, subject }: Aim,
  attempts: readonly Sent[],
  see: (response: WireResponse & { readonly text: string }, path: string) => void,
): Promise<{ readonly outcome: string; readonly counts: ReadonlyMap<number, number> }> {
  const client = new Client(wire, subject.port, 16);
  const counts = new Map<number, number>();
  await each(attempts, 16, async (sent) => {
    const response = await client.get({ ...sent, signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    counts.set(response?.status ?? 0, (counts.get(response?.status ?? 0) ?? 0) + 1);
    if (response !== undefined) see(response, sent.path);
  }).finally(() => client.close());
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  const words = sorted.map(([status, count]) => `${grouped(count)} x ${status === 0 ? "cut" : status}`);
  return { outcome: `${grouped(attempts.length)} attempts (${words.join(", ")})`, counts };
}

/** Spellings of a separator between two segments, of a letter, and of a suffix. */
const separators =
  "// /// %2f %2F %5c %5C \\ %2f/ /%2f %5c%2f %252f /./ /x/../ %2f.%2f ;/ /; %00/ /%00 %20/ %c0%af %u2215".split(" ");
const endings = "/ // %2f ?x %00 . %20 ;x /.. %2e".split(" ");
const oneOf = (usual: string, rare: readonly string[]): fc.Arbitrary<string> =>
  fc.noBias(fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 4, arbitrary: fc.constantFrom(...rare) }));
const letter = (char: string): fc.Arbitrary<string> => {
  const hex = char.charCodeAt(0).toString(16);
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(char) },
    oneOf(`%${hex}`, [`%${hex.toUpperCase()}`, `%25${hex}`, char.toUpperCase()]),
  );
};
const word = (text: string): fc.Arbitrary<string> =>
  fc.tuple(...Array.from(text, letter)).map((letters) => letters.join(""));
const between = oneOf("/", separators);
const door = fc.oneof(word("files"), word("files"), word("any"));
const guarded = fc
  .tuple(
    oneOf("/", ["//", "/./"]),
    door,
    between,
    fc.oneof(word("private"), word("vault")),
    between,
    word("secret"),
    oneOf("", endings),
  )
  .map((parts) => parts.join(""));

/** Paths that a handler could read as a guarded one, in every spelling. */
export const bypasses: Attack = async (aim) => {
  const before = (await aim.subject.ask("state")).reached.length;
  const paths = fc.sample(guarded, { seed: aim.settings.seed, numRuns: aim.settings.amount(30_000, 1_000) });
  const { outcome, counts } = await asked(
    aim,
    paths.map((path) => ({ path })),
    () => undefined,
  );
  const reached = (await aim.subject.ask("state")).reached.slice(before);
  return {
    figure: `${outcome}, ${reached.length} reached ${reached.slice(0, 5).join(" ")}`,
    target: "0 reached; some rejected, some of other paths served",
    met: reached.length === 0 && (counts.get(403) ?? 0) > 50 && (counts.get(200) ?? 0) > 50,
  };
};

/** Line feeds, escapes and quotes of many kinds. A handler, a log and a trace write them where they must have no effect. */
const payloads = listed(String.raw`
  \r\n | \r\n\t | \n | \r | \u0000 | \u001b[31m | \u0085 | \u2028 | \u560d\u560a | ","status":200,"x":" | <script> | \\r\\n | %0d%0a
  \u007f | a 200 1us\nGET / | \r\n\r\n | \n\n | \r\nTransfer-Encoding: chunked\r\n
`).map((text) => encodeURIComponent(`a${text}X-Injected: 1`));
const places =
  "/inject/header/ /inject/redirect/ /inject/problem/ /inject/event/ /any/a/ /any/a/b?x= /nowhere/ /files/".split(" ");
const names = "User-Agent X-Request-Id Cookie traceparent tracestate Origin Referer X-Forwarded-For".split(" ");

/** Each payload in every possible place. A header is rejected when it is set. Everything else is escaped. */
export const injections: Attack = async (aim) => {
  // Effects of the previous attack may be logged late.
  const before = await aim.subject.stateWhen(({ unlogged }) => unlogged === 0);
  const values = payloads.flatMap((text) => [text, text.toLowerCase(), `${text}${text}`]);
  const inHeaders = names.flatMap((name) => values.map((value) => ({ path: "/canary", headers: { [name]: value } })));
  const attempts = [...places.flatMap((place) => values.map((value) => ({ path: place + value }))), ...inHeaders];
  const made: string[] = [];
  const { outcome, counts } = await asked(aim, attempts, ({ headers, text }, path) => {
    const lines = path.startsWith("/inject/event/") ? text.split(/\r\n|[\r\n]/) : [];
    if ("x-injected" in headers || lines.some((line) => /^x-injected/i.test(line))) made.push(path);
  });
  // The parser of another runtime does not report the connections that it cuts.
  const untold = aim.settings.hosts.includes(aim.wire) ? (counts.get(0) ?? 0) : 0;
  const { lines } = await aim.subject.stateWhen(
    (state) => state.lines.count - before.lines.count >= attempts.length - untold,
  );
  const told = lines.count - before.lines.count;
  return {
    figure: `${outcome}, ${made.length} header or event lines made, ${grouped(told)} log lines ${made.slice(0, 3).join(" ")}`,
    target: "0 made, a log line for each",
    met: made.length === 0 && told <= attempts.length && told >= attempts.length - untold,
  };
};

const paths = ["", "/", "/api/routes", "/api/graph", "/api/requests", "/api/requests/1", "/api/stream", "/api/x"];
/**
 * Requests that another site's page makes a browser send, foreign names that resolve to this host, and forwarded headers of a
 * proxy.
 */
const foreign = listed(`
  Origin: https://evil.test | Origin: http://evil.test:8080 | Origin: null | Origin: http://localhost.evil.test | Origin: file://
  Origin: https://localhost@evil.test | Origin: http://0.0.0.0 | Origin: chrome-extension://x | Sec-Fetch-Site: cross-site
  Sec-Fetch-Site: same-site | Sec-Fetch-Site: Cross-Site | Sec-Fetch-Site: x | Host: evil.test | Host: localhost.evil.test
  Host: evil.test:80 | Host: 0.0.0.0 | Host: 127.1 | Host: 2130706433 | Host: 0x7f.0.0.1 | Host: [::ffff:10.0.0.1] | Host: 10.0.0.1
  Host: 127.0.0.1.nip.io | Forwarded: for=1.2.3.4 | X-Forwarded-For: 1.2.3.4 | X-Forwarded-Host: a | X-Real-IP: 1.2.3.4 | Via: 1.1 a
`).map((line) => Object.fromEntries([line.split(": ") as [string, string]]));

/** None of them may read anything of devtools. */
export const reads: Attack = async (aim) => {
  const requests = paths.flatMap((path) =>
    ["GET", "HEAD", "OPTIONS", "POST", "QUERY"].map((method) => ({ method, path: `/framework/dev${path}` })),
  );
  const attempts = requests.flatMap((request) => foreign.map((headers) => ({ ...request, headers })));
  const read: string[] = [];
  const { outcome } = await asked(aim, attempts, ({ status, headers, text }, path) => {
    const isOpen = Object.keys(headers).some((name) => name.startsWith("access-control-"));
    if (isOpen || ![400, 403, 404].includes(status) || /"(args|pattern|beans)"/.test(text))
      read.push(`${status} ${path}`);
  });
  const own = await asked(aim, [{ path: "/framework/dev/api/routes" }], () => undefined);
  return {
    figure: `${outcome}, ${read.length} read ${read.slice(0, 5).join(" ")}`,
    target: "0 read, but by this machine's own page",
    met: read.length === 0 && own.counts.get(200) === 1,
  };
};

/** Spellings of a step to the parent folder. */
const ups =
  ".. %2e%2e .%2e %2E%2E %252e%252e ..; ..%00 ..%20 .... ..%01 %c0%ae%c0%ae %e0%80%ae%2e %ef%bc%8e%ef%bc%8e ..%5c..".split(
    " ",
  );
const outward = fc
  .tuple(
    fc.constantFrom("", "/inside", "/data.txt", "/none"),
    fc.array(
      fc.tuple(between, oneOf("..", ups)).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 3 },
    ),
    between,
    oneOf("secret.txt", [
      "public/.secret.txt",
      ".secret.txt",
      "public%2f.secret.txt",
      "%2esecret.txt",
      "secret.txt%00",
    ]),
  )
  .map(([start, steps, last, name]) => `/e/static${start}${steps.join("")}${last}${name}`);

/** Paths that could read a file outside the served folder, in every spelling. */
export const escapes: Attack = async (aim) => {
  const paths = fc.sample(outward, { seed: aim.settings.seed, numRuns: aim.settings.amount(20_000, 600) });
  const all = ["/e/static/data.txt", ...paths].map((path) => ({ path }));
  const read: string[] = [];
  const { outcome, counts } = await asked(aim, all, ({ text }, path) => text.includes(beside) && read.push(path));
  return {
    figure: `${outcome}, ${read.length} read ${read.slice(0, 5).join(" ")}`,
    target: "0 read; the file inside is, at least 500 rejected",
    met: read.length === 0 && (counts.get(200) ?? 0) > 0 && (counts.get(400) ?? 0) + (counts.get(404) ?? 0) >= 500,
  };
};

/** The token of a response's session cookie. */
const tokenIn = ({ headers }: WireResponse): string =>
  /__Host-session=([^;]*)/.exec(String(headers["set-cookie"] ?? ""))?.[1] ?? "";

/** Tokens made of real ones: with a changed character, cut, joined from two, in another spelling, and invented. */
const forged = (one: string, other: string): fc.Arbitrary<string> => {
  const at = fc.nat(one.length - 1);
  const character = fc.constantFrom(...Array.from("AZaz09-_.+/=%21"));
  const changed = fc.tuple(at, character).map(([place, char]) => one.slice(0, place) + char + one.slice(place + 1));
  const joined = fc.tuple(at, at).map(([from, to]) => one.slice(0, from) + other.slice(to));
  const cut = at.map((place) => one.slice(0, place));
  const behind = fc.constantFrom("A", "=", "%00", ".", ".0", "AAAA").map((more) => one + more);
  const madeUp = fc.base64String({ maxLength: 300 }).map((text) => `1.${text.replaceAll(/[+/=]/g, "_")}`);
  return fc.oneof(changed, changed, joined, cut, behind, madeUp).filter((token) => token !== one && token !== other);
};

/** The sessions of `/e` are in their cookies, those of `/kept` in a store. No client gets into one, or fixes its id. */
export const forgeries: Attack = async (aim) => {
  const client = new Client(aim.wire, aim.subject.port, 16);
  const visit = (path: string, token = "") => client.get({ path, headers: { Cookie: `__Host-session=${token}` } });
  const wrong: string[] = [];
  const expect = async (path: string, token: string, text: string, why: string): Promise<string> => {
    const response = await visit(path, token);
    if (response.text !== text || (token !== "" && tokenIn(response) === token))
      wrong.push(`${why} at ${path}: ${token}`);
    return tokenIn(response);
  };
  const count = aim.settings.amount(3_000, 150);
  let cut = 0;
  // A cut connection got into nothing. The report says how often that happens.
  const forge = (path: string, token: string): Promise<unknown> =>
    expect(path, token, "visit 1", "taken").catch(() => (cut += 1));
  try {
    for (const path of ["/e/session", "/kept/session"]) {
      const tokens = [await expect(path, "", "visit 1", "none"), await expect(path, "", "visit 1", "none")] as const;
      const attempts = fc.sample(forged(...tokens), { seed: aim.settings.seed, numRuns: count });
      // The time after the dot of a store's token belongs to the client, and the server trusts it for nothing.
      const isForged = (token: string): boolean =>
        token.split(".")[0] === "1" || !tokens.some((one) => isOf(one, token));
      await each(attempts.filter(isForged), 16, (token) => forge(path, token));
      await expect(path, tokens[0], "visit 2", "lost");
    }
    const ended = await expect("/kept/session", "", "visit 1", "none");
    await visit("/kept/end", ended);
    await expect("/kept/session", ended, "visit 1", "replayed");
  } finally {
    client.close();
  }
  return {
    figure: `${grouped(2 * count)} forged sessions (${cut} x cut), one that had ended: ${wrong.length} taken ${wrong.slice(0, 3).join("; ")}`,
    target: "0 taken, none gets the id that it asked for, the real ones go on, less than 1 in 100 cut",
    met: wrong.length === 0 && cut < count / 100,
  };
};

const isOf = (token: string, other: string): boolean => token.split(".")[0] === other.split(".")[0];
