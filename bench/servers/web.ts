/**
 * Servers of fetch handlers, on Bun and Deno: bare ones, one handler for one job, and the framework with its adapters.
 *
 * `serveWeb` serves every framework without its own server there.
 */
import { ours } from "./ours.ts";
import { found } from "../values.ts";
import type { Kind, Work } from "../work.ts";

type Fetch = (request: Request) => Response | Promise<Response>;

/** The used parts of the hosts. */
interface Hosts {
  readonly Bun?: { serve(options: object): { readonly port: number } };
  readonly Deno?: { serve(options: object, fetch: Fetch): { readonly addr: { readonly port: number } } };
}

/** Starts the job and resolves to its port. */
export async function serve(work: Work): Promise<number> {
  if (work.server === "bare") return serveWeb(handlers[work.kind]?.(work) ?? missing);
  const app = await ours(work);
  const { serve: start } = await import("Bun" in globalThis ? "framework/bun" : "framework/deno");
  await start(app, { port: 0, hostname: "127.0.0.1" });
  return app.port;
}

/** Serves a fetch handler with the host's own server. */
export function serveWeb(fetch: Fetch): number {
  const { Bun: bun, Deno: deno } = globalThis as Hosts;
  const place = { port: 0, hostname: "127.0.0.1" };
  if (bun !== undefined) return bun.serve({ ...place, fetch }).port;
  if (deno === undefined) throw new Error("neither Bun nor Deno is here");
  // A load that stops leaves bodies half sent.
  const onError = (): Response => new Response(null, { status: 500 });
  return deno.serve({ ...place, onListen: () => undefined, onError }, fetch).addr.port;
}

const pathOf = (url: string): string => url.slice(url.indexOf("/", 8));

const missing: Fetch = ({ url }) => {
  const detail = `nothing is registered at ${pathOf(url)}`;
  const problem = { type: "about:blank", title: "Not Found", status: 404, detail };
  return new Response(JSON.stringify(problem), {
    status: 404,
    headers: { "Content-Type": "application/problem+json" },
  });
};

const one =
  (method: string, path: string, respond: Fetch): Fetch =>
  (request) =>
    request.method === method && pathOf(request.url) === path ? respond(request) : missing(request);

const routed = ({ resources }: Work): Fetch => {
  const known = new Set(Array.from({ length: resources }, (_, n) => `resource${n}`));
  return (request) => {
    const [, resource = "", id, items, item, ...more] = pathOf(request.url).split("/");
    const isKnown = request.method === "GET" && known.has(resource) && items === "items" && more.length === 0;
    return isKnown ? Response.json({ id, item }) : missing(request);
  };
};

const handlers: Readonly<Partial<Record<Kind, (work: Work) => Fetch>>> = {
  hello: () => one("GET", "/hello", () => Response.json({ hello: "world" })),
  params: routed,
  missing: routed,
  echo: () => one("POST", "/echo", async (request) => Response.json(await request.json())),
  query: () => one("QUERY", "/search", async (request) => Response.json(found(await request.json()))),
};
