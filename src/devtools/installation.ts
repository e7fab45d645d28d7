/**
 * Installation: devtools that are on, wired into one application.
 *
 *   capture ──▶ recorder, leaves ──▶ runs ──▶ store ──▶ stream, history ──▶ endpoints
 *
 *   request ──▶ wrap ──▶ devtools path? ──▶ endpoints, handled here
 *                 └─ no ──▶ runs: the whole chain inside of a trace
 *
 * The wrap is outside of everything installed with `use`. Requests that middleware responds to are therefore traced, and
 * devtools' own requests reach no middleware.
 *
 * Spec: spec/devtools.md, spec/trace.md
 */
import type { Context, Next, RecordedResponse } from "framework";
import { Capture } from "./capture/capture.ts";
import { PromiseWarnings } from "./capture/promise-warnings.ts";
import { KnownSecrets } from "./capture/secrets/known.ts";
import type { Snapshotter } from "./capture/snapshot.ts";
import { Reviver } from "./capture/revive.ts";
import { type DevtoolsBeans, type DevtoolsHost, early, expectOwn, graphOf, noContainer } from "./host.ts";
import { History } from "./keep/history/history.ts";
import type { SessionLine } from "./keep/history/lines.ts";
import { KeptRuns } from "./keep/kept-runs.ts";
import { TraceStore } from "./keep/store.ts";
import type { Settings } from "./options.ts";
import { InFlight } from "./record/in-flight.ts";
import { Jobs } from "./record/jobs.ts";
import { Leaves } from "./record/leaves/leaves.ts";
import { LeafSources } from "./record/leaves/sources.ts";
import { Watcher } from "./record/leaves/watch/watcher.ts";
import { noSpans, spanProcessor, type LeafSpanProcessor } from "./record/leaves/span-processor.ts";
import type { OpenTrace } from "./record/open-trace.ts";
import { privateSlot } from "./record/private-slot.ts";
import { Recorder } from "./record/recorder.ts";
import { Runs } from "./record/runs.ts";
import { ForeignSpans } from "./record/services/foreign-spans.ts";
import { Neighbours } from "./record/services/neighbours.ts";
import { SentHeaders } from "./record/services/sent-headers.ts";
import { StartLog } from "./record/start-log.ts";
import type { ShownValues } from "./run/otlp/service-run.ts";
import { apiPath, PAGE_PATH } from "./run/wire.ts";
import { acrossTime } from "./serve/kept-endpoints.ts";
import { HealthPanel } from "./serve/app-panels.ts";
import { nameOf, pageSettings, sessionOf, startLine } from "./serve/application.ts";
import { devtoolsPath, type EndpointAt, Endpoints } from "./serve/endpoints.ts";
import { jobEndpoints } from "./serve/jobs.ts";
import { sourcesOf } from "./serve/method-sources.ts";
import { loadPage } from "./serve/page.ts";
import { Panels } from "./serve/panels.ts";
import { Replays, type ReplaySources } from "./serve/replay/replays.ts";
import { analysesOf } from "./serve/analyses.ts";
import { spanReceiver } from "./serve/span-receiver.ts";
import { LoopDelay } from "./serve/loop-delay.ts";
import { TraceStream } from "./serve/stream.ts";
import { keptSecret, Token } from "./serve/token.ts";

/** Devtools that are on. */
export class Installation {
  readonly recorder: Recorder;
  readonly store: TraceStore;
  readonly runs: Runs;
  readonly #settings: Settings;
  readonly #capture: Capture;
  readonly #starts: StartLog;
  readonly #neighbours = new Neighbours();
  readonly #spans: ForeignSpans | undefined;
  readonly #leaves: Leaves;
  readonly #sources: LeafSources;
  readonly #watcher: Watcher;
  readonly #session: SessionLine;
  readonly #history: History | undefined;
  readonly #loop = new LoopDelay();
  readonly #stream: TraceStream;
  #warn: (line: string) => void = () => undefined;
  #beans: () => DevtoolsBeans = () => noContainer;

  constructor(settings: Settings) {
    const { limits } = settings;
    const promised = new PromiseWarnings((line) => this.#warn(line));
    const open = privateSlot<OpenTrace>();
    const capture = new Capture(settings, promised, (value) => open.get(value)?.shown);
    const { snapshots, redactor, paths, errors, names, quiet } = capture;
    this.#settings = settings;
    this.#capture = capture;
    this.store = new TraceStore(settings.capacity, limits.ringBytes);
    const { instance } = this.store;
    this.#session = sessionOf(instance, settings.name);
    this.#history = settings.history === undefined ? undefined : new History(settings.history, this.#session);
    const starts = (this.#starts = new StartLog({
      instance,
      shown: (text) => capture.hidden(text),
      print: (text) => void process.stderr.write(text),
      keep: (start) => this.#history?.addFailedStart(start),
    }));
    const recorder = new Recorder({ maxCalls: limits.callsPerTrace, snapshots, errors, starts, names, quiet });
    this.recorder = recorder;
    this.#leaves = new Leaves({ recorder, snapshots, redactor, maxLeaves: limits.leavesPerTrace });
    this.#spans = settings.otlp ? new ForeignSpans(() => shownBy(snapshots)) : undefined;
    this.#sources = new LeafSources(this.#leaves, this.#neighbours, settings, this.#spans);
    this.#watcher = new Watcher({
      leaves: this.#leaves,
      bind: (callback) => recorder.bindHere(callback),
      where: () => recorder.where(),
    });
    const { traceBytes, snapshotBytes, callsPerTrace: maxCalls } = limits;
    const inFlight = new InFlight(instance);
    this.runs = new Runs({
      recorder,
      tools: { snapshots, redactor, paths, errors, maxCalls, traceBytes, snapshotBytes },
      keeper: this.store,
      inFlight,
      promised,
      open,
      begins: () => this.#sources.open(),
      ignore: settings.ignore,
    });
    const { streamClients, streamBufferBytes } = limits;
    this.#stream = new TraceStream(
      this.store,
      streamClients,
      streamBufferBytes,
      inFlight,
      () => this.#shape(),
      this.#loop,
    );
  }

  /** Puts devtools around the application and returns its endpoints. @throws Error when the application has another container */
  mount(app: DevtoolsHost, own: DevtoolsBeans | undefined): Endpoints {
    expectOwn(app, own);
    this.#warn = (line) => app.about.logger.warn(line);
    // The application's own container has the beans of its plugins too, so it is used as soon as it exists.
    this.#beans = () => app.container ?? own ?? noContainer;
    this.#capture.patterns = () => app.routes().map(({ path }) => path);
    const settings = this.#settings;
    const { token: given } = settings;
    const token = given === false ? undefined : new Token(given === true ? keptSecret(process.cwd()) : given);
    const kept = new KeptRuns(this.store, this.#session, this.#history);
    const replays: Replays = this.#replays(app, kept, token, (ctx, isKnown) => endpoints.judge(ctx, isKnown));
    const endpoints = this.#endpoints(app, token, kept, [
      ...this.#acrossTime(app, kept),
      [apiPath("replays/"), (ctx, below) => replays.serve(ctx, below), (ctx, below) => replays.replayJob(ctx, below)],
      ...jobEndpoints({ kept, snapshots: this.#capture.snapshots, jobs: () => app.about.jobs }),
    ]);
    const wrap = (ctx: Context, next: Next): unknown => {
      const path = devtoolsPath(ctx.url, app.about.contextPath);
      if (path !== undefined) return endpoints.respond(ctx, path);
      const sent = new SentHeaders(ctx);
      const asked = sent.asksForReplay ? replays.askedBy(ctx) : undefined;
      if (asked === undefined) return this.runs.request(ctx, sent, next);
      return replays.begin(ctx, asked).then((replay) => {
        if (replay !== undefined) return this.runs.record(ctx, sent, next, replay);
      });
    };
    early(() => app.wrap(wrap));
    this.#observe(app, wrap);
    app.onStart(function devtools() {
      expectOwn(app, own);
      const line = startLine(app, settings.allowRemote, token);
      if (line !== undefined) app.about.logger.warn(line);
    });
    app.onStop(() => {
      this.#stream.close();
      this.#sources.close();
    });
    if (this.#history !== undefined) this.#keep(app, this.#history);
    return endpoints;
  }

  /** OpenTelemetry's spans as leaves. */
  spanProcessor(): LeafSpanProcessor {
    return this.#settings.leaves ? spanProcessor(this.#leaves) : noSpans;
  }

  /** The client, with its statements and commands as leaves. */
  watch<T extends object>(client: T): T {
    return this.#settings.leaves ? this.#watcher.watch(client) : client;
  }

  /** Listens to the application's reports about its runs. @param wrap devtools' own middleware, whose time is not shown */
  #observe(app: DevtoolsHost, wrap: unknown): void {
    const { recorder, runs } = this;
    const at = `${app.about.contextPath === "/" ? "" : app.about.contextPath}${PAGE_PATH}`;
    const jobs = new Jobs({
      recorder,
      runs,
      leaves: this.#settings.leaves ? this.#leaves : undefined,
      neighbours: this.#neighbours,
      instance: this.store.instance,
      at,
      origin: () => originOf(app),
    });
    runs.mount({
      at,
      routes: () => app.routes(),
      isUninstrumented: () =>
        this.#beans()
          .graph()
          .nodes.some(({ reason }) => reason === "uninstrumented"),
      notInstrumented: () => app.about.logger.warn(notInstrumentedLine),
    });
    const hook = (ctx: Context, response: RecordedResponse): RecordedResponse | undefined =>
      runs.responded(ctx, response);
    app.onResponse?.(hook);
    if (this.#settings.leaves) {
      this.#leaves.tellBy((line) => app.about.logger.warn(line));
      app.observe({ log: (line, ctx) => this.#leaves.lineOfContext(() => line, runs.frameOf(ctx)) });
    }
    app.observe({
      start: (name, run) => this.#starts.hook(name, run),
      background: (name, work, origin, job) => {
        if (job !== undefined) return jobs.attempt(job, work);
        return origin === undefined ? runs.work("background", name, work) : runs.socketWork(origin, work);
      },
      sending: (one, send) => jobs.sending(one, send),
      resolve: (type) => {
        const id = this.#beans().idOf?.(type);
        if (id !== undefined) recorder.asked(id);
      },
      annotation: (ctx, name, value) => runs.annotated(ctx, name, value),
      phase: (ctx, phase) => {
        if (phase.of !== wrap && phase.of !== hook) runs.phase(ctx, phase);
      },
    });
  }

  /** Writes every run and every start until the application stops. */
  #keep(app: DevtoolsHost, history: History): void {
    history.warnBy((line) => app.about.logger.warn(line));
    const leave = this.store.subscribe((added) => history.add(added));
    const starts = this.#starts;
    app.onStart(function keepStart() {
      const start = starts.view();
      if (start !== null)
        history.addStart(
          () => starts.view() ?? start,
          () => addressOf(app),
        );
    });
    app.onStop(() => {
      leave();
      return history.close();
    });
  }

  #endpoints(app: DevtoolsHost, token: Token | undefined, kept: KeptRuns, further: readonly EndpointAt[]): Endpoints {
    const settings = this.#settings;
    return new Endpoints({
      rules: settings,
      token,
      store: this.store,
      stream: this.#stream,
      neighbours: this.#neighbours,
      spans: this.#spans,
      posted: [analysesOf(kept), ...(this.#spans === undefined ? [] : [spanReceiver(this.#spans)])],
      name: () => nameOf(settings.name),
      page: () => loadPage(pageSettings(settings)),
      contextPath: app.about.contextPath,
      routes: () => app.routes().map((route) => this.runs.entries.routeOf(route)),
      graph: () => graphOf(this.#beans()),
      panels: new Panels(() => app.about.panels(), this.#capture.snapshots),
      further,
    });
  }

  #replays(app: DevtoolsHost, kept: KeptRuns, token: Token | undefined, judge: ReplaySources["judge"]): Replays {
    return new Replays({
      kept,
      hasToken: token !== undefined,
      judge,
      session: this.#session,
      stacks: this.#capture.stacks,
      reviver: new Reviver(this.#settings.makers, this.recorder.seenErrors),
      graph: () => graphOf(this.#beans()),
      pathOf: ({ url, route }) => this.#capture.paths.of(url, route),
      isIgnored: (ctx) => this.runs.isIgnored(ctx),
      jobs: () => app.about.jobs,
      hidden: (text) => this.#capture.hidden(text),
    });
  }

  #acrossTime(app: DevtoolsHost, kept: KeptRuns): readonly EndpointAt[] {
    return acrossTime({
      app,
      kept,
      history: this.#history,
      historyFile: this.#settings.history?.given,
      starts: this.#starts,
      health: new HealthPanel(app, (text) => this.#capture.hidden(text)),
      loop: this.#loop,
      methodSources: sourcesOf(this.recorder, this.#capture.stacks),
    });
  }

  /** The graph, the routes' beans and the spans as a text. Of routes, only the entries can change. */
  #shape(): string {
    const graph = this.runs.safely(() => graphOf(this.#beans()));
    return `${this.runs.entries.size} ${this.#spans?.version ?? 0} ${JSON.stringify(graph)}`;
  }
}

/** The values of one service's run as snapshots, with a bound for all of them. */
function shownBy(snapshots: Snapshotter): ShownValues {
  const secrets = new KnownSecrets();
  let budget = 1_048_576;
  const within = (): Snapshotter => snapshots.within(secrets);
  return {
    text: (text) => within().text(text),
    value(value) {
      const { json, bytes } = within().take(value, Math.max(0, budget));
      budget -= bytes;
      return json;
    },
  };
}

/** Where it listens, without its path, or undefined if it does not listen itself. */
const originOf = (app: DevtoolsHost): string | undefined => addressOf(app)?.split("/", 3).join("/");

/** Undefined if it does not listen itself. */
function addressOf(app: DevtoolsHost): string | undefined {
  try {
    return app.url;
  } catch {
    return undefined;
  }
}

const notInstrumentedLine =
  "devtools: no call of a bean is recorded: the container was built without .instrument(devtools.recorder())";
