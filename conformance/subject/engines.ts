/**
 * Engines: the ways in which the subject can be served on this Node.
 *
 *   node-http       app.start()                              the framework's own server
 *   node-http2      app.start()                              the same over HTTP/2, with prior knowledge
 *   node-http2-tls  app.start()                              the same over TLS
 *   fetch           node:http ──▶ Request ──▶ app.fetch      as on a platform that speaks fetch
 *   express         Express  ──▶ app.listener()              inside another server
 *   fastify         Fastify  ──▶ app.listener()
 *
 * Their features, with reasons, are in features.ts. Other runtimes are in ../runtimes/.
 *
 * Spec: spec/subject.md
 */
import { type Framework, NodeHttp2Engine, NodeHttpEngine } from "framework";
import type { ServerEngine } from "framework/engine";
import { certificate } from "../../test/certificate.ts";
import { serveFetch } from "./engines/fetch.ts";
import { serveExpress, serveFastify } from "./engines/hosted.ts";
import type { Served } from "./engines/listen.ts";
import type { featuresOf } from "./features.ts";

/** One way of serving. */
export interface Engine {
  /** For the framework's own engines: the `engine` option of `Framework.create`. */
  readonly server?: (() => ServerEngine) | undefined;
  /** Port 0 picks a free one. Rejects with a sentence if it cannot listen. */
  serve(app: Framework, port: number): Promise<Served>;
}

const all = {
  "node-http": { server: () => new NodeHttpEngine(), serve: serveItself },
  "node-http2": { server: () => new NodeHttp2Engine(), serve: serveItself },
  "node-http2-tls": { server: () => new NodeHttp2Engine(certificate), serve: serveItself },
  fetch: { serve: serveFetch },
  express: { serve: serveExpress },
  fastify: { serve: serveFastify },
} as const satisfies Readonly<Partial<Record<keyof typeof featuresOf, Engine>>>;

/** Every engine by name. Add an engine of the framework like `node-http`. */
export const engines: Readonly<Record<keyof typeof all, Engine>> = all;

/** The engine of that name. @throws Error that lists the known ones. */
export function engineNamed(name: string): Engine & { readonly name: keyof typeof all } {
  const known = Object.keys(engines) as (keyof typeof all)[];
  const found = known.find((one) => one === name);
  if (found === undefined) throw new Error(`no engine called ${name}: there are ${known.join(", ")}`);
  return { ...engines[found], name: found };
}

/** Serves by `app.start`, for every engine of the framework. */
async function serveItself(app: Framework, port: number): Promise<Served> {
  await app.start(port);
  return { url: app.url, close: () => app.stop() };
}
