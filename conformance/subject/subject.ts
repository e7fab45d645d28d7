/**
 * The subject: the app that the conformance suite talks to, served with this framework.
 *
 *   createSubject({ profile, engine }) ──▶ Subject { app, about, start(port), stop() }     unstarted
 *   await subject.start(0)             ──▶ "http://127.0.0.1:<port>"
 *   await subject.stop()                                                                   app, beans, tracer
 *
 *   request ──▶ controls ──▶ devtools ──▶ request id ──▶ log ──▶ metrics ──▶ tracing ──▶ CORS ──▶ health ──▶ routes
 *
 * Importing it does nothing, and several subjects can run in one process. Unknown names are errors that list the
 * known ones: `profileNames` (spec/subject.ts), `engines` (engines.ts).
 *
 * Spec: spec/subject.md
 */
import { createRequire } from "node:module";
import { CorsMiddleware, Framework, type Logger, RequestIdMiddleware } from "framework";
import type { Static } from "typebox";
import type { SubjectAbout } from "../../spec/subject.ts";
import { startBeans } from "./beans.ts";
import { Checks } from "./checks.ts";
import { controlsOf } from "./controls.ts";
import { engineNamed, type Engine } from "./engines.ts";
import type { Served } from "./engines/listen.ts";
import { Observers } from "./observers.ts";
import { createDevtools, profileNamed, profiles, type Profile } from "./profiles.ts";
import { addRoutes } from "./routes.ts";

export { engines } from "./engines.ts";
export { profileNamed, profiles, type ProfileName } from "./profiles.ts";

/** What `GET /__subject/about` answers. */
export type About = Static<typeof SubjectAbout>;

/** What a subject is made of; all optional. */
export interface SubjectOptions {
  /** `default` unless told. */
  readonly profile?: string | undefined;
  /** `node-http` unless told. */
  readonly engine?: string | undefined;
  /** Takes warnings and unexpected errors; nobody unless told: the suite provokes plenty. */
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

const silent: Logger = { warn: () => undefined, error: () => undefined };

/** Builds the subject. @throws Error when profile or engine are unknown. */
export function createSubject({
  profile = "default",
  engine = "node-http",
  logger = silent,
}: SubjectOptions = {}): Subject {
  const name = profileNamed(profile);
  const served = engineNamed(engine);
  const about: About = { ...own, engine, profile: name, features: [...served.features] };
  const app = createApp(served, logger);
  const close = install(app, profiles[name], about);
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

const packageFile = createRequire(import.meta.url)("framework/package.json") as { readonly version: string };
const own = { implementation: "framework", version: packageFile.version };

/** Every setting that the environment could change is set here: a subject is the same in every shell. */
function createApp({ server }: Engine, logger: Logger): Framework {
  return Framework.create({
    engine: server?.(),
    host: "127.0.0.1",
    contextPath: "/",
    maxBodyBytes: 1_048_576,
    shutdownGraceMs: 5_000,
    timeouts: { headersMs: 3_000, requestMs: 6_000, checkMs: 250 },
    logger,
  });
}

/** Puts everything around and into the app; returns what closes it. */
function install(app: Framework, profile: Profile, about: About): () => Promise<void> {
  const devtools = createDevtools(profile);
  const beans = startBeans(devtools.recorder());
  const observers = new Observers();
  const checks = new Checks();
  app.beans(beans).wrap(
    controlsOf({
      about: () => about,
      evidence: () => observers.evidence(),
      reset: () => {
        observers.reset();
        devtools.clear();
      },
      setCheck: (check, mode) => checks.set(check, mode),
    }),
  );
  if (profile.requestId) app.use(new RequestIdMiddleware());
  for (const middleware of observers.middleware()) app.use(middleware);
  app.use(cors(profile)).use(checks.middleware());
  addRoutes(app, beans, observers.metrics);
  devtools.install(app, beans);
  return async () => {
    await beans.close();
    await observers.close();
  };
}

function cors({ corsMethods }: Profile): CorsMiddleware {
  const builder = CorsMiddleware.builder().allowOrigins("https://app.example");
  return (corsMethods === undefined ? builder : builder.allowMethods(...corsMethods)).build();
}
