/**
 * Behaviour of app.fetch that is specific to Bun, Deno and workerd (ENGINE).
 *
 *   a navigator of that runtime ──▶ a copy of these modules that believes it ──▶ its arguments to `Response`
 *
 * Runs in a separate process, because a hook makes the copies for every later import.
 */
import assert from "node:assert/strict";
import { register } from "node:module";
import { describe, test } from "node:test";
import type { Exchange } from "../../http/exchange.ts";
import type * as Fetch from "./fetch.ts";
import type * as Runtime from "./runtime.ts";

/** Modules of this folder that a copy imports are copied, too. */
const copying = `
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const copy = /[?]as=.*/.exec(context.parentURL ?? "");
  return copy !== null && found.url.includes("/engine/fetch/") ? { ...found, url: found.url + copy[0] } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(copying)}`);

let copies = 0;

/** That module under the given navigator. */
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

/** The arguments of a `Response`. */
interface Made {
  readonly body: unknown;
  readonly init: ResponseInit;
}

/** Runs a request through such a copy. Returns the arguments of `Response`. */
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

/** A text of two bytes and one character, with any of them. Returns the bytes reported as delivered. */
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

    test("makes a response from the cheapest parts there, and leaves its length to the server", async () => {
      const [handle] = respond(200, typed);
      const [made] = await handled(agent, handle);
      const { headers, ...init } = made?.init ?? assert.fail("no response");
      assert.equal(made?.body, "é");
      assert.deepEqual(init, { ...(name === "Bun" || name === "Deno" ? {} : { status: 200 }), ...manual });
      assert.equal(headers instanceof Headers, name === "Bun" || name === "workerd");
      const length = isServed(name) ? {} : { "content-length": "2" };
      assert.deepEqual(Object.fromEntries(new Headers(headers)), { "content-type": "text/plain", ...length });
    });

    test("sets another status, and gives bytes when there is no type", async () => {
      const [handle] = respond(201, []);
      const [made] = await handled(agent, handle);
      const headers = isServed(name) ? {} : { "Content-Length": "2" };
      assert.deepEqual(made, { body: encoded, init: { status: 201, headers, ...manual } });
    });

    test("gives the length of the omitted body for HEAD", async () => {
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
      test(`reports the bytes of ${isWatched ? "a body that is watched" : "no body"}`, async () => {
        const [handle, bytes] = respond(status, typed, isWatched);
        await handled(agent, handle);
        assert.deepEqual(bytes, [isWatched ? 2 : 0]);
      });

    test("turns a text into bytes when no server counts them", async (t) => {
      const encode = t.mock.method(TextEncoder.prototype, "encode");
      const [handle] = respond(200, typed);
      const counts: number[] = [];
      await handled(agent, (exchange) => {
        handle(exchange);
        counts.push(encode.mock.callCount());
      });
      assert.deepEqual(counts, [isServed(name) ? 0 : 1]);
    });

    test("measures the head when no server has", async () => {
      let size: readonly number[] = [];
      const measure = (exchange: Exchange): void => void (size = [exchange.headerCount, exchange.headerBytes]);
      await handled(agent, measure, { headers: { a: "bc" } });
      assert.deepEqual(size, isServed(name) ? [0, 0] : [1, "/a".length + "abc".length]);
    });

    test("ROUTE-020: reads the Host, except on Deno when the URL has one slash, so that none is the Host's", async (t) => {
      const headers = t.mock.getter(Request.prototype, "headers");
      let flaw: unknown = "not handled";
      await handled(agent, (exchange) => void (flaw = exchange.flaw));
      assert.deepEqual([flaw, headers.mock.callCount()], [undefined, name === "Deno" ? 0 : 1]);
    });

    test("checks immediately whether the client has left on workerd alone", async () => {
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
