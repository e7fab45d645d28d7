/**
 * Engines: the ways in which the subject can be served, and what each can honestly promise.
 *
 *   node-http   app.start()                              the framework's own server
 *   node-http2  app.start()                              the same over HTTP/2, with prior knowledge
 *   fetch       node:http ──▶ Request ──▶ app.fetch      as on a platform that speaks fetch
 *   express     Express  ──▶ app.listener()              inside somebody else's server
 *   fastify     Fastify  ──▶ app.listener()
 *
 * What an engine lacks, and why:
 *
 *   | feature        | fetch                                  | express, fastify                         |
 *   |----------------|----------------------------------------|------------------------------------------|
 *   | parser         | the platform refuses what it cannot    | the host's server does: its own 400, no  |
 *   |                | parse; the app never hears of it       | log line and no metric of ours           |
 *   | limits         | the head's size is the platform's: 431 | the head's size is the host's, likewise  |
 *   |                | has no body of ours. (URL, header      |                                          |
 *   |                | count and body limits hold everywhere) |                                          |
 *   | timeouts       | sockets are the platform's             | sockets are the host's                   |
 *   | drain          | nothing to drain: no socket of ours    | the host closes its own connections      |
 *   | raw-path       | `Request` resolves dot segments and    | has it                                   |
 *   |                | re-encodes before the app sees a path  |                                          |
 *   | h2             | HTTP/1.1 here                          | HTTP/1.1 here                            |
 *
 * No name in the closed list says it: on fetch, an answer that is not streamed is over once it was handed to the
 * platform, so a client that leaves while it is being sent is not noticed there.
 *
 * Spec: spec/subject.md
 */
import { type Framework, NodeHttp2Engine, NodeHttpEngine, type ServerEngine } from "framework";
import { featureNames } from "../../spec/subject.ts";
import { serveFetch } from "./engines/fetch.ts";
import { serveExpress, serveFastify } from "./engines/hosted.ts";
import type { Served } from "./engines/listen.ts";

/** One of the closed list of features. */
export type Feature = (typeof featureNames)[number];

/** One way of serving. */
export interface Engine {
  /** What a subject has on this engine, whatever the profile. */
  readonly features: readonly Feature[];
  /** For the engines of the framework itself: what `Framework.create` takes. */
  readonly server?: (() => ServerEngine) | undefined;
  /** Port 0 picks a free one. Rejects with a sentence when it cannot listen. */
  serve(app: Framework, port: number): Promise<Served>;
}

const hostLacks: readonly Feature[] = ["parser", "limits", "timeouts", "drain", "h2"];

/** Every engine by name. An engine of the framework's own is added as `node-http` is. */
export const engines: Readonly<Record<string, Engine>> = {
  "node-http": { features: allBut(["h2"]), server: () => new NodeHttpEngine(), serve: serveItself },
  "node-http2": { features: allBut(["parser", "raw-path"]), server: () => new NodeHttp2Engine(), serve: serveItself },
  fetch: { features: allBut([...hostLacks, "raw-path"]), serve: serveFetch },
  express: { features: allBut(hostLacks), serve: serveExpress },
  fastify: { features: allBut(hostLacks), serve: serveFastify },
};

/** The engine of that name. @throws Error that lists the known ones. */
export function engineNamed(name: string): Engine {
  const found = Object.hasOwn(engines, name) ? engines[name] : undefined;
  if (found === undefined) throw new Error(`no engine called ${name}: there are ${Object.keys(engines).join(", ")}`);
  return found;
}

/** `app.start`, as every engine of the framework's own is served. */
async function serveItself(app: Framework, port: number): Promise<Served> {
  await app.start(port);
  return { url: app.url, close: () => app.stop() };
}

function allBut(lacking: readonly Feature[]): readonly Feature[] {
  return featureNames.filter((name) => !lacking.includes(name));
}
