/**
 * What app.fetch does on Bun, Deno and workerd alone (ENGINE).
 *
 *   a navigator of that runtime ──▶ a copy of these modules that takes it for its own ──▶ what it gives to `Response`
 *
 * A process of its own: the copies are made by a hook for every import that comes later.
 */
import assert from "node:assert/strict";
import { register } from "node:module";
import { describe, test } from "node:test";
import type { Exchange } from "../../http/exchange.ts";
import type * as Fetch from "./fetch.ts";
import type * as Runtime from "./runtime.ts";

/** A module of this folder that is imported by a copy is copied, too. */
const copying = `
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const copy = /[?]as=.*/.exec(context.parentURL ?? "");
  return copy !== null && found.url.includes("/engine/fetch/") ? { ...found, url: found.url + copy[0] } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(copying)}`);

let copies = 0;

/** That module as it is where the navigator says so. */
async function as<M>(userAgent: string | undefined, name: string): Promise<M> {
  const navigator = userAgent === undefined ? undefined : { userAgent };
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  try {
    return (await import(new URL(`./${name}.js?as=${(copies += 1)}`, import.meta.url).href)) as M;
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, "navigator");
    else Object.defineProperty(globalThis, "navigator", before);
  }
}

const agents = {
  Bun: "Bun/1.3.1",
  Deno: "Deno/2.5.4",
  workerd: "Cloudflare-Workers",
  Node: "Node.js/24",
  "what has no navigator": undefined,
} as const;
const isServed = (name: string): boolean => ["Bun", "Deno", "workerd"].includes(name);

/** What a `Response` is made of. */
interface Made {
  readonly body: unknown;
  readonly init: ResponseInit;
}

/** Runs a request through such a copy: what `Response` was given. */
async function handled(
  userAgent: string | undefined,
  handle: (exchange: Exchange) => void,
  init: RequestInit = {},
): Promise<readonly Made[]> {
  const { fetchHandler } = await as<typeof Fetch>(userAgent, "fetch");
  const made: Made[] = [];
  const Real = globalThis.Response;
  globalThis.Response = class extends Real {
    constructor(body?: BodyInit | null, given: ResponseInit = {}) {
      super(body, given);
      made.push({ body, init: given });
    }
  };
  try {
    const fetch = fetchHandler(() => ({ handle, rejected: () => assert.fail("nothing is rejected here") }));
    const fetched = fetch(new Request("http://h/a", init));
    if (fetched instanceof Promise) fetched.catch(() => undefined);
    return made;
  } finally {
    globalThis.Response = Real;
  }
}

/** A text of two bytes and one character, by any of them; how many bytes were told to be delivered. */
function respond(
  status: number,
  headers: readonly string[],
  isWatched = false,
): [(exchange: Exchange) => void, number[]] {
  const bytes: number[] = [];
  const delivered = (sent: number): void => void bytes.push(sent);
  return [(exchange) => exchange.respond(status, [...headers], "é", { isWatched, delivered }), bytes];
}

const typed = ["Content-Type", "text/plain"] as const;
const encoded = new TextEncoder().encode("é");

for (const [name, agent] of Object.entries(agents))
  describe(`app.fetch on ${name}`, () => {
    const manual = name === "Bun" || name === "Deno" ? {} : { encodeBody: "manual" };

    test("makes a response of what is cheap there, its length by whoever serves it", async () => {
      const [handle] = respond(200, typed);
      const [made] = await handled(agent, handle);
      const { headers, ...init } = made?.init ?? assert.fail("no response");
      assert.equal(made?.body, "é");
      assert.deepEqual(init, { ...(name === "Bun" || name === "Deno" ? {} : { status: 200 }), ...manual });
      assert.equal(headers instanceof Headers, name === "Bun" || name === "workerd");
      const length = isServed(name) ? {} : { "content-length": "2" };
      assert.deepEqual(Object.fromEntries(new Headers(headers)), { "content-type": "text/plain", ...length });
    });

    test("says another status, and gives bytes where there is no type", async () => {
      const [handle] = respond(201, []);
      const [made] = await handled(agent, handle);
      const headers = isServed(name) ? {} : { "Content-Length": "2" };
      assert.deepEqual(made, { body: encoded, init: { status: 201, headers, ...manual } });
    });

    test("says the length of what it leaves out for HEAD", async () => {
      const [handle, bytes] = respond(200, typed);
      const [made] = await handled(agent, handle, { method: "HEAD" });
      assert.equal(made?.body, null);
      assert.equal(new Headers(made?.init.headers).get("content-length"), "2");
      assert.deepEqual(bytes, [0]);
    });

    for (const [isWatched, status] of [
      [true, 200],
      [false, 204],
    ] as const)
      test(`tells the bytes of ${isWatched ? "a body that is watched" : "no body"}`, async () => {
        const [handle, bytes] = respond(status, typed, isWatched);
        await handled(agent, handle);
        assert.deepEqual(bytes, [isWatched ? 2 : 0]);
      });

    test("makes bytes of a text where nobody else counts them", async (t) => {
      const encode = t.mock.method(TextEncoder.prototype, "encode");
      const [handle] = respond(200, typed);
      const counts: number[] = [];
      await handled(agent, (exchange) => {
        handle(exchange);
        counts.push(encode.mock.callCount());
      });
      assert.deepEqual(counts, [isServed(name) ? 0 : 1]);
    });

    test("measures the head where no server has", async () => {
      let size: readonly number[] = [];
      const measure = (exchange: Exchange): void => void (size = [exchange.headerCount, exchange.headerBytes]);
      await handled(agent, measure, { headers: { a: "bc" } });
      assert.deepEqual(size, isServed(name) ? [0, 0] : [1, "/a".length + "abc".length]);
    });

    test("ROUTE-020: reads the Host, but on Deno where the URL has one slash, so that none is the Host's", async (t) => {
      const headers = t.mock.getter(Request.prototype, "headers");
      let flaw: unknown = "not handled";
      await handled(agent, (exchange) => void (flaw = exchange.flaw));
      assert.deepEqual([flaw, headers.mock.callCount()], [undefined, name === "Deno" ? 0 : 1]);
    });

    test("looks at once whether the client has left on workerd alone", async () => {
      let exchange: Exchange | undefined;
      await handled(agent, (one) => void (exchange = one), { signal: AbortSignal.abort() });
      assert.equal(exchange?.gone, name === "workerd");
    });
  });

describe("the runtime", () => {
  for (const [agent, runtime] of [
    ["Bun/1.3.1", "Bun"],
    ["Deno/2.5.4", "Deno"],
    ["Cloudflare-Workers", "Cloudflare-Workers"],
    ["Bunny/1", undefined],
    ["as Bun/1", undefined],
    ["Node.js/24", undefined],
    [undefined, undefined],
  ] as const)
    test(`is ${runtime ?? "none of three"} by ${agent ?? "no navigator"}`, async () =>
      assert.equal((await as<typeof Runtime>(agent, "runtime")).runtime, runtime));
});
