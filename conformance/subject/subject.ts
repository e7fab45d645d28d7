/**
 * The subject: the app that the conformance suite tests, served with this framework on this Node.
 *
 *   createSubject({ profile, engine }) ──▶ Subject { app, about, start(port), stop() }     unstarted
 *   await subject.start(0)             ──▶ "http://127.0.0.1:<port>"
 *   await subject.stop()                                                                   app, beans, tracer
 *
 * Its parts are in assemble.ts. Importing it has no side effect, and several subjects can run in one process.
 * Unknown names are errors that list the known ones: `profileNames` (spec/subject.ts), `engines` (engines.ts).
 *
 * Spec: spec/subject.md
 */
import { createRequire } from "node:module";
import type { Framework, Logger } from "framework";
import { type About, assemble } from "./assemble.ts";
import { engineNamed } from "./engines.ts";
import { addFiles } from "./files.ts";
import { addSockets } from "./sockets.ts";
import { addTools } from "./tools.ts";
import type { Served } from "./engines/listen.ts";

export type { About } from "./assemble.ts";
export { engines } from "./engines.ts";
export { profileNamed, profiles, type ProfileName } from "./profiles.ts";

/** The options of a subject. */
export interface SubjectOptions {
  /** Default: `default`. */
  readonly profile?: string | undefined;
  /** `node-http` by default. */
  readonly engine?: string | undefined;
  /** Receives warnings and unexpected errors. By default nothing listens, since the suite provokes many. */
  readonly logger?: Logger | undefined;
}

/** A subject, not yet started. */
export interface Subject {
  readonly app: Framework;
  readonly about: About;
  /** Listens on 127.0.0.1; 0 picks a free port. Resolves to the base URL, rejects with a sentence. */
  start(port?: number): Promise<string>;
  /** Lets requests in flight finish, then closes the app, the beans and the tracer. Idempotent. */
  stop(): Promise<void>;
}

const { version } = createRequire(import.meta.url)("framework/package.json") as { readonly version: string };

/** Builds the subject. @throws Error if profile or engine are unknown */
export function createSubject({ profile, engine = "node-http", logger }: SubjectOptions = {}): Subject {
  const served = engineNamed(engine);
  const server = served.server?.();
  const { app, about, close } = assemble({
    engine: served.name,
    version,
    profile,
    server,
    addFiles,
    addSockets,
    addTools,
    logger,
  });
  let running: Served | undefined;
  const stop = async (): Promise<void> => {
    await (running === undefined ? app.stop() : running.close());
    await close();
  };
  let stopped: Promise<void> | undefined;
  return {
    app,
    about,
    async start(port = 0) {
      running = await served.serve(app, port);
      return running.url;
    },
    stop: () => (stopped ??= stop()),
  };
}
