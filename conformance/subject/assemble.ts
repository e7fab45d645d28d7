/**
 * Assembles the subject's app with all of its middleware and routes, without serving it. It needs no module that only Node
 * has, so any runtime can serve it by `app.fetch`.
 *
 *   request ──▶ controls ──▶ devtools ──▶ request id ──▶ log ──▶ metrics ──▶ tracing ──▶ CORS ──▶ health ──▶ prefix ──▶ routes
 *
 * Importing it has no side effect, and several subjects can run in one process.
 *
 * Spec: spec/subject.md
 */
import { CorsMiddleware, Framework, HttpError, type Logger, RequestIdMiddleware } from "framework";
import type { ServerEngine } from "framework/engine";
import type { Static } from "typebox";
import type { SubjectAbout } from "../../spec/subject.ts";
import { startBeans } from "./beans.ts";
import { Checks } from "./checks.ts";
import { controlsOf } from "./controls.ts";
import { featuresOf } from "./features.ts";
import { addJobs } from "./jobs.ts";
import { addWork } from "./work.ts";
import { Observers } from "./observers.ts";
import { panels } from "./panels.ts";
import { createDevtools, profileNamed, profiles, type Profile } from "./profiles.ts";
import { addRoutes } from "./routes.ts";

/** The response of `GET /__subject/about`. */
export type About = Static<typeof SubjectAbout>;

/** The parts of a subject. */
export interface Parts {
  /** The name of the engine, which determines its features. */
  readonly engine: keyof typeof featuresOf;
  /** The framework's version. */
  readonly version: string;
  /** Default: `default`. */
  readonly profile?: string | undefined;
  /** For the framework's own engines. */
  readonly server?: ServerEngine | undefined;
  /** Adds the WebSocket, if the engine supports it. */
  readonly addSockets?: ((app: Framework) => void) | undefined;
  /** Adds the folder of files, if the platform has files. */
  readonly addFiles?: ((app: Framework) => void) | undefined;
  /** Adds the tools, if their library is installed. */
  readonly addTools?: ((app: Framework) => void) | undefined;
  /** Receives warnings and unexpected errors. By default nothing listens, since the suite provokes many. */
  readonly logger?: Logger | undefined;
}

/** A subject that is not served yet. */
export interface Assembled {
  readonly app: Framework;
  readonly about: About;
  /** Closes beans and tracer. The code that serves the app closes it first. */
  close(): Promise<void>;
}

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Assembles the subject. @throws Error if the profile is unknown */
export function assemble(parts: Parts): Assembled {
  const { engine, version, profile = "default", server, logger = silent } = parts;
  const name = profileNamed(profile);
  const features = [...featuresOf[engine]];
  const about: About = { implementation: "framework", version, engine, profile: name, features };
  const app = createApp(server, logger);
  if (features.includes("jobs")) addJobs(app);
  if (features.includes("websocket")) parts.addSockets?.(app);
  if (features.includes("static")) parts.addFiles?.(app);
  const close = install(app, profiles[name], about);
  if (features.includes("work")) addWork(app);
  if (features.includes("tools")) parts.addTools?.(app);
  return { app, about, close };
}

/** Sets every option that the environment could change, so a subject is the same in every shell. */
function createApp(engine: ServerEngine | undefined, logger: Logger): Framework {
  return Framework.create({
    engine,
    host: "127.0.0.1",
    contextPath: "/",
    maxBodyBytes: 1_048_576,
    shutdownGraceMs: 5_000,
    timeouts: { headersMs: 3_000, requestMs: 6_000, checkMs: 250 },
    logger,
  });
}

/** Installs all middleware and routes. Returns a function that closes them. */
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
  app.use(cors(profile, "https://app.example")).use(checks.middleware());
  app.use("/files/private", () => {
    throw new HttpError(403, "nothing here is public");
  });
  addRoutes(app, beans, observers.metrics, cors(profile, "https://partner.example"));
  for (const panel of panels) app.plugin(panel);
  devtools.install(app, beans);
  return async () => {
    await beans.close();
    await observers.close();
  };
}

function cors({ corsMethods }: Profile, origin: string): CorsMiddleware {
  const builder = CorsMiddleware.builder().allowOrigins(origin);
  return (corsMethods === undefined ? builder : builder.allowMethods(...corsMethods)).build();
}
