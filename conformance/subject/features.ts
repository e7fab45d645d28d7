/**
 * Features: what a subject of this repository supports, by the engine or the runtime that serves it.
 *
 *   | feature        | fetch, bun, deno, workerd              | express, fastify                         |
 *   |----------------|----------------------------------------|------------------------------------------|
 *   | parser         | the platform rejects what it cannot    | the host's server does: its own 400, no  |
 *   |                | parse; the app never sees it       | log line and no metric of ours           |
 *   | limits         | the head's size is the platform's: 431 | the head's size is the host's, likewise  |
 *   |                | has no body of ours. (The limits of    |                                          |
 *   |                | URL and body hold everywhere.)         |                                          |
 *   | timeouts       | sockets are the platform's             | sockets are the host's                   |
 *   | drain          | nothing to drain: no socket of ours    | the host closes its own connections      |
 *   | raw-path       | `Request` resolves dot segments and    | has it                                   |
 *   |                | re-encodes before the app sees a path  |                                          |
 *   | h2             | HTTP/1.1 here                          | HTTP/1.1 here                            |
 *   | websocket      | not opened here                        | the host passes no upgrades on here:     |
 *   |                |                                        | app.upgradeListener() has its own tests  |
 *
 * workerd has no files, so it has no `static` either. The library of `tools` is not installed for the other runtimes.
 *
 * bun-serve and deno-serve are the adapters, `framework/bun` and `framework/deno`. They stop like an engine, and open
 * WebSockets.
 *
 * No name in the closed list expresses one limit: with fetch, an unstreamed response is complete when the platform receives it.
 * So the app does not notice a client that leaves while it is being sent.
 *
 * Spec: spec/subject.md
 */
import { featureNames } from "../../spec/subject.ts";

/** One of the closed list of features. */
export type Feature = (typeof featureNames)[number];

const hostLacks: readonly Feature[] = ["parser", "limits", "timeouts", "drain", "h2", "websocket"];
const platformLacks: readonly Feature[] = [...hostLacks, "raw-path"];
const runtimeLacks: readonly Feature[] = [...platformLacks, "tools"];
const adapterLacks: readonly Feature[] = runtimeLacks.filter((name) => name !== "drain" && name !== "websocket");
/** HTTP/2 has no HTTP/1.1 parser, and its head is compressed. */
const http2Lacks: readonly Feature[] = ["parser", "raw-path"];

/** The features of a subject on each engine and runtime, in every profile. */
export const featuresOf = {
  "node-http": allBut(["h2"]),
  "node-http2": allBut(http2Lacks),
  "node-http2-tls": allBut(http2Lacks),
  fetch: allBut(platformLacks),
  express: allBut(hostLacks),
  fastify: allBut(hostLacks),
  bun: allBut(runtimeLacks),
  deno: allBut(runtimeLacks),
  "bun-serve": allBut(adapterLacks),
  "deno-serve": allBut(adapterLacks),
  // The platform does not provide the peer's address, so devtools, which serve only this machine, serve no request. It also
  // aborts no signal when a client leaves, even with `enable_request_signal`.
  workerd: allBut([
    ...runtimeLacks,
    "static",
    "remote-address",
    "devtools",
    "otlp",
    "leaves",
    "replay",
    "jobs",
    "panels",
    "annotations",
    "work",
    "disconnects",
  ]),
} as const satisfies Readonly<Record<string, readonly Feature[]>>;

function allBut(lacking: readonly Feature[]): readonly Feature[] {
  return featureNames.filter((name) => !lacking.includes(name));
}
