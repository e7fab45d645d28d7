/**
 * Installation: devtools that are on, wired into one application.
 *
 *   request ──▶ wrap ──▶ devtools path? ──▶ endpoints, handled here
 *                 │ no
 *                 ▼
 *              open a trace ──▶ run the whole chain inside it ──▶ completion ──▶ store ──▶ stream
 *
 * The wrap is outside of everything installed with `use`: requests that middleware responds to are traced, and
 * devtools' own requests reach no middleware.
 *
 * Spec: spec/devtools.md, spec/trace.md
 */
import type { Completion, Context, Next, WorkOrigin } from "framework";
import type { MethodSource } from "./run/shapes/agents.ts";
import { REPLAYS_PATH } from "./run/shapes/replay.ts";
import {
  PAGE_PATH,
  RUN_HEADER,
  type BeanGraph,
  type Json,
  type RouteContract,
  type RouteInfo,
} from "./run/shapes/run.ts";
import { acrossTime } from "./serve/across-time.ts";
import { appName } from "./serve/app-name.ts";
import { HealthPanel } from "./serve/app-panels.ts";
import { devtoolsPath, Endpoints } from "./serve/endpoints.ts";
import { Entries } from "./record/entries.ts";
import { ErrorInfos } from "./capture/error-info.ts";
import { isLoopback } from "./record/services/this-machine.ts";
import { commitOf } from "./keep/history/commit.ts";
import { History } from "./keep/history/history.ts";
import type { SessionLine } from "./keep/history/lines.ts";
import type { TraceTools } from "./record/finished-trace.ts";
import type { DevtoolsBeans, DevtoolsHost, HostRoute } from "./host.ts";
import { InFlight } from "./record/in-flight.ts";
import { LeafSources } from "./record/leaves/sources.ts";
import { Leaves } from "./record/leaves/leaves.ts";
import { noSpans, spanProcessor, type LeafSpanProcessor } from "./record/leaves/span-processor.ts";
import { KeptRuns } from "./keep/kept-runs.ts";
import type { Settings } from "./options.ts";
import { methodSources } from "./serve/method-sources.ts";
import { loadPage, type PageSettings } from "./serve/page.ts";
import { Panels } from "./serve/panels.ts";
import { Promised } from "./capture/promised.ts";
import { privateSlot } from "./record/private-slot.ts";
import { Recorder, type Frame } from "./record/recorder.ts";
import { createRedactor, noRedaction, type Redactor } from "./capture/redact.ts";
import type { Replay } from "./record/replay/replay.ts";
import { endedResponse, Replays, type AskedReplay, type ReplaySources } from "./serve/replay/replays.ts";
import { Reviver } from "./capture/revive.ts";
import { SentHeaders } from "./record/services/sent-headers.ts";
import { Neighbours, runHeader } from "./record/services/neighbours.ts";
import { ShownPaths } from "./capture/shown-paths.ts";
import { Snapshotter } from "./capture/snapshot.ts";
import { Stacks } from "./capture/stacks.ts";
import { StartLog } from "./record/start-log.ts";
import { TraceStore } from "./keep/store.ts";
import { TraceStream } from "./serve/stream.ts";
import { KnownSecrets } from "./capture/secrets/known.ts";
import { keptSecret, Token } from "./serve/token.ts";
import { OpenTrace } from "./record/open-trace.ts";
import { OpenWork, type Outcome } from "./record/open-work.ts";

/** Devtools that are on. */
export class Installation {
  readonly recorder: Recorder;
  readonly store: TraceStore;
  readonly #settings: Settings;
  readonly #stream: TraceStream;
  readonly #inFlight: InFlight;
  readonly #tools: TraceTools;
  readonly #neighbours = new Neighbours();
  readonly #leaves: Leaves;
  readonly #sources: LeafSources;
  readonly #starts: StartLog;
  /** Undefined where devtools show no stacks, nor then where anything is. */
  readonly #stacks: Stacks | undefined;
  readonly #history: History | undefined;
  readonly #session: SessionLine;
  /** The traces of requests that are under way. */
  readonly #open = privateSlot<OpenTrace>();
  readonly #entries = new Entries();
  readonly #promised = new Promised((line) => this.#warn(line));

  #warn: (line: string) => void = () => undefined;

  #routes: () => readonly HostRoute[] = () => [];
  #graph: () => BeanGraph = () => graphOf(noContainer);
  #isUninstrumented: () => boolean = () => false;
  /** Says, once, that a bean handled a request and the recorder has never seen one. */
  #notInstrumented: (() => void) | undefined;

  constructor(settings: Settings) {
    const { limits, forms } = settings;
    const redactor = settings.redact === false ? noRedaction : createRedactor(settings.redact, this.#promised);
    const paths = new ShownPaths(
      redactor,
      () => snapshots,
      () => this.#routes().map(({ path }) => path),
    );
    const stacks = settings.stacks
      ? new Stacks(process.cwd(), (text, limit) => hidden(redactor, text, limit))
      : undefined;
    this.#stacks = stacks;
    const errors = new ErrorInfos(() => snapshots, stacks);
    this.store = new TraceStore(settings.capacity, limits.ringBytes);
    this.#session = sessionOf(this.store.instance, settings);
    this.#history = settings.history === undefined ? undefined : new History(settings.history, this.#session);
    this.#starts = new StartLog({
      instance: this.store.instance,
      shown: (text) => hidden(redactor, text, shownChars),
      print: (text) => void process.stderr.write(text),
      keep: (start) => this.#history?.addFailedStart(start),
    });
    const recorder = new Recorder({
      maxCalls: limits.callsPerTrace,
      snapshots: () => snapshots,
      errors,
      starts: this.#starts,
    });
    const snapshots: Snapshotter = new Snapshotter({
      limits,
      redactor,
      forms,
      nameOf: (value) => this.#open.get(value)?.shown ?? recorder.nameOf(value),
      quietly: (run) => recorder.quietly(run),
    });
    this.#settings = settings;
    this.recorder = recorder;
    this.#inFlight = new InFlight(this.store.instance);
    const { streamClients, streamBufferBytes, traceBytes, snapshotBytes, callsPerTrace: maxCalls } = limits;
    this.#stream = new TraceStream(this.store, streamClients, streamBufferBytes, this.#inFlight, () => this.#shape());
    const maxLeaves = limits.leavesPerTrace;
    this.#leaves = new Leaves({ recorder, snapshots: () => snapshots, redactor, maxLeaves });
    this.#sources = new LeafSources(this.#leaves, this.#neighbours, settings);
    this.#tools = { snapshots, redactor, paths, errors, maxCalls, traceBytes, snapshotBytes };
  }

  /** Puts devtools around the application; returns what responds there. @throws Error when the application has another container */
  mount(app: DevtoolsHost, own: DevtoolsBeans | undefined): Endpoints {
    expectOwn(app, own);
    this.#warn = (line) => app.about.logger.warn(line);
    // The application's own, which has the beans of its plugins too, as soon as it is there.
    const beans = (): DevtoolsBeans => app.container ?? own ?? noContainer;
    const settings = this.#settings;
    const { token: given } = settings;
    const token = given === false ? undefined : new Token(given === true ? keptSecret(process.cwd()) : given);
    this.#graph = () => graphOf(beans());
    const kept = new KeptRuns(this.store, this.#session, this.#history);
    const replays = this.#replays({
      kept,
      hasToken: token !== undefined,
      beans,
      judge: (ctx, isKnown) => endpoints.judge(ctx, isKnown),
    });
    const endpoints: Endpoints = new Endpoints({
      rules: settings,
      token,
      store: this.store,
      stream: this.#stream,
      neighbours: this.#neighbours,
      name: () => nameOf(settings.name),
      page: () => loadPage(pageSettings(settings)),
      contextPath: app.about.contextPath,
      routes: () => app.routes().map((route) => this.#withEntries(route)),
      graph: this.#graph,
      panels: new Panels(() => app.about.panels(), this.#tools.snapshots),
      further: [...this.#acrossTime(app, kept), [REPLAYS_PATH, (ctx, below) => replays.serve(ctx, below)]],
    });
    early(() => app.checkResponses("warn"));
    early(() =>
      app.wrap((ctx, next) => {
        const path = devtoolsPath(ctx.url, app.about.contextPath);
        if (path !== undefined) return endpoints.respond(ctx, path);
        const sent = new SentHeaders(ctx);
        const asked = sent.asksForReplay ? replays.askedBy(ctx) : undefined;
        return asked === undefined ? this.#trace(ctx, sent, next) : this.#replay(ctx, sent, next, replays, asked);
      }),
    );
    this.#watch(app, beans);
    this.#routes = () => app.routes();
    this.#isUninstrumented = () =>
      beans()
        .graph()
        .nodes.some(({ reason }) => reason === "uninstrumented");
    this.#notInstrumented = () => app.about.logger.warn(notInstrumentedLine);
    app.onStart(function devtools() {
      expectOwn(app, own);
      const url = urlOf(app);
      if (url !== undefined) app.about.logger.warn(startLine(app, url + PAGE_PATH, settings.allowRemote, token));
    });
    app.onStop(() => {
      this.#stream.close();
      this.#sources.close();
    });
    if (this.#history !== undefined) this.#keep(app, this.#history);
    return endpoints;
  }

  /** Listens to what the application tells of its runs. */
  #watch(app: DevtoolsHost, beans: () => DevtoolsBeans): void {
    const at = `${app.about.contextPath === "/" ? "" : app.about.contextPath}${PAGE_PATH}`;
    app.onResponse?.((ctx, response) => {
      const open = this.#open.get(ctx);
      if (open === undefined) return undefined;
      if (open.isOfNeighbour) {
        open.named = runHeader(this.store.instance, open.run, at);
        ctx.setHeader(RUN_HEADER, open.named);
      }
      const { replay, secrets } = open.recording;
      const ended = replay === undefined ? undefined : endedResponse(replay, (text) => secrets.text(text));
      open.recorded(ended ?? response);
      return ended;
    });
    if (this.#settings.leaves) {
      this.#leaves.tellBy((line) => app.about.logger.warn(line));
      app.observe({
        log: (line, ctx) => this.#leaves.lineOfContext(() => line, this.recorder.where() ?? this.#frameOf(ctx)),
      });
    }
    app.observe({
      start: (name, run) => this.#starts.hook(name, run),
      background: (name, work, origin) =>
        origin === undefined ? this.work("background", name, work) : this.#socketWork(origin, work),
      resolve: (type) => {
        const id = beans().idOf?.(type);
        if (id !== undefined) this.recorder.asked(id);
      },
      annotation: (ctx, name, value) => this.#open.get(ctx)?.annotated(name, value),
    });
  }

  /** Writes every run, and how the application came up, from now on until it stops. */
  #keep(app: DevtoolsHost, history: History): void {
    history.warnBy((line) => app.about.logger.warn(line));
    const leave = this.store.subscribe((added) => history.add(added));
    const starts = this.#starts;
    app.onStart(function keepStart() {
      const start = starts.view();
      if (start !== null) history.addStart(() => starts.view() ?? start);
    });
    app.onStop(() => {
      leave();
      return history.close();
    });
  }

  #replays({ kept, hasToken, beans, judge }: ReplaysOf): Replays {
    const { paths } = this.#tools;
    return new Replays({
      kept,
      hasToken,
      judge,
      session: this.#session,
      reviver: new Reviver(this.#settings.makers, this.recorder.seenErrors),
      graph: () => graphOf(beans()),
      pathOf: ({ url, route }) => paths.of(url, route),
      isIgnored: (ctx) => this.#isIgnored(ctx),
    });
  }

  #acrossTime(app: DevtoolsHost, kept: KeptRuns): ReturnType<typeof acrossTime> {
    const { redactor } = this.#tools;
    return acrossTime({
      app,
      kept,
      history: this.#history,
      historyFile: this.#settings.history?.given,
      starts: this.#starts,
      health: new HealthPanel(app, (text) => hidden(redactor, text, shownChars)),
      methodSources: this.#methodSources(),
    });
  }

  async #replay(ctx: Context, sent: SentHeaders, next: Next, replays: Replays, asked: AskedReplay): Promise<void> {
    const replay = await replays.begin(ctx, asked);
    if (replay !== undefined) await this.#record(ctx, sent, next, replay);
  }

  /** Where methods are, found when somebody asks, and again when beans were made since. */
  #methodSources(): () => readonly MethodSource[] {
    let known: { readonly beans: number; readonly sources: readonly MethodSource[] } | undefined;
    return () => {
      const beans = this.recorder.beans();
      if (known?.beans !== beans.size)
        known = { beans: beans.size, sources: this.#stacks === undefined ? [] : methodSources(beans, this.#stacks) };
      return known.sources;
    };
  }

  #trace(ctx: Context, sent: SentHeaders, next: Next): void | Promise<void> {
    return this.#isIgnored(ctx) ? next() : this.#record(ctx, sent, next, undefined);
  }

  /** A replay is recorded whatever `ignore` says by now: without a recording its beans would be called for real. */
  #record(ctx: Context, sent: SentHeaders, next: Next, replay: Replay | undefined): void | Promise<void> {
    const open = new OpenTrace(ctx, sent, this.#tools);
    open.recording.replay = replay;
    this.#open.set(ctx, open);
    this.#inFlight.begin(open);
    this.#sources.open();
    ctx.onComplete(this.#completed);
    return this.recorder.run(open.recording, next);
  }

  /** Runs work that is no request, as a run of its own. What it returns and throws is as without. */
  work<R>(kind: "trace" | "background", name: string, work: () => R): R {
    return this.#watched(() => OpenWork.named(kind, name, this.#tools), work);
  }

  /** Runs a handler of a WebSocket, as a run of its own; of a request that is ignored, as it is. */
  #socketWork<R>(origin: WorkOrigin, work: () => R): R {
    const { ctx } = origin;
    const connection = this.#open.get(ctx);
    if (connection === undefined) return work();
    return this.#watched(() => OpenWork.ofSocket(origin, connection.run, this.#tools), work, ctx);
  }

  /** Runs work that is watched. @param ctx the request whose route it belongs to */
  #watched<R>(openWork: () => OpenWork, work: () => R, ctx?: Context): R {
    const open = this.#safely(openWork);
    if (open === undefined) return work();
    // What a replay begins is of it too: its beans are not to be called for real behind it.
    const around = (ctx === undefined ? undefined : this.#open.get(ctx)) ?? this.recorder.where();
    if (around !== undefined) open.recording.replay = around.recording.replay;
    const run = this.#inFlight.begin(open);
    this.#sources.open();
    const end = (outcome: Outcome): void => this.#endWork(open, run, outcome, ctx);
    let result: R;
    try {
      result = this.recorder.run(open.recording, work);
    } catch (error) {
      end({ error });
      throw error;
    }
    if (!(result instanceof Promise)) {
      end({ value: result });
      return result;
    }
    return result.then(
      (value: unknown) => {
        end({ value });
        return value;
      },
      (error: unknown) => {
        end({ error });
        throw error;
      },
    ) as R;
  }

  /** What the graph and the beans of routes are like; what of routes can change is in the entries alone. */
  #shape(): string {
    return `${this.#entries.size} ${JSON.stringify(this.#safely(this.#graph))}`;
  }

  /** Undefined where it fails: what is watched runs all the same. */
  #safely<T>(part: () => T): T | undefined {
    try {
      return part();
    } catch {
      this.recorder.failures++;
      return undefined;
    }
  }

  #endWork(open: OpenWork, run: number, outcome: Outcome, ctx: Context | undefined): void {
    const endedAt = performance.now();
    this.#inFlight.end(open);
    try {
      const finished = this.recorder.finish(open.recording);
      if (ctx !== undefined) this.#entries.add(ctx, open.recording.asked, finished.calls);
      this.store.add(open.close(outcome, finished, { run, endedAt }));
    } catch {
      this.recorder.failures++;
    }
  }

  #isIgnored(ctx: Context): boolean {
    try {
      const isIgnored = this.#settings.ignore?.(ctx);
      return !this.#promised.isOne("ignore", isIgnored, "the request is traced") && isIgnored === true;
    } catch {
      return false;
    }
  }

  readonly #completed = (completion: Completion, ctx: Context): void => {
    const open = this.#open.get(ctx);
    if (open === undefined) return;
    this.#inFlight.end(open);
    const finished = this.recorder.finish(open.recording);
    this.#entries.add(ctx, open.recording.asked, finished.calls);
    if (this.#notInstrumented !== undefined) this.#warnIfNotInstrumented(ctx);
    const ended = open.end(completion, finished);
    if (ended.canWait) this.store.addEnded(ended);
    else this.store.add(ended.finish());
  };

  /** Spans of OpenTelemetry as leaves. */
  spanProcessor(): LeafSpanProcessor {
    return this.#settings.leaves ? spanProcessor(this.#leaves) : noSpans;
  }

  /** Where a line of a request's log belongs that is written outside of its asynchronous code. */
  #frameOf(ctx: Context): Frame | undefined {
    const open = this.#open.get(ctx);
    return open === undefined ? undefined : { recording: open.recording, id: null, depth: -1 };
  }

  /** At the first request of a route: a bean of a container without the recorder, however a handler got it. */
  #warnIfNotInstrumented({ method, route }: Context): void {
    if (!this.recorder.decorated) {
      const isRoute = (one: HostRoute): boolean => one.method === method && one.path === route;
      const found = this.#routes().find(isRoute);
      if (found === undefined || (found.beans.length === 0 && !this.#isUninstrumented())) return;
      this.#notInstrumented?.();
    }
    this.#notInstrumented = undefined;
  }

  #withEntries({ example, contract, ...route }: HostRoute): RouteInfo {
    const seen = new Set([...route.beans, ...this.#entries.of(route.path, route.method)]);
    if (route.method === "GET") for (const bean of this.#entries.of(route.path, "HEAD")) seen.add(bean);
    const shown = example === undefined ? {} : { example: { ...example, body: example.body as Json | undefined } };
    const declared = contract === undefined ? {} : { contract: contract as RouteContract };
    return { ...route, beans: [...seen], ...shown, ...declared };
  }
}

/** What replays are made of besides what an installation has itself. */
type ReplaysOf = Pick<ReplaySources, "kept" | "hasToken" | "judge"> & { readonly beans: () => DevtoolsBeans };

/** What is shown of a message that no trace holds. */
const shownChars = 2_000;

/** Who this process is, for those that come after it. */
function sessionOf(instance: string, { name }: Settings): SessionLine {
  const folder = process.cwd();
  return { instance, startedAt: Date.now(), app: name ?? appName(folder) ?? null, ...commitOf(folder) };
}

/** What the page is told: how long is slow, and how its links open a file. */
function pageSettings({ name, slowMs, stacks, editor }: Settings): PageSettings {
  const links = stacks && editor !== undefined ? { "data-editor": editor, "data-root": process.cwd() } : {};
  return { "data-slow-ms": slowMs, "data-app": name ?? appName(process.cwd()), ...links };
}

/** What the application is called. */
const nameOf = (given: string | undefined): string => given ?? appName(process.cwd()) ?? "application";

/** A text of the code with its secrets hidden. They are not looked for elsewhere: names of variables are no secrets. */
function hidden(redactor: Redactor, text: string, limit: number): string {
  const { secrets } = redactor;
  redactor.secrets = new KnownSecrets();
  try {
    return redactor.text(text, limit);
  } finally {
    redactor.secrets = secrets;
  }
}

/** Devtools that draw one container and record another show paths through beans that are not there. */
function expectOwn({ container }: DevtoolsHost, given: DevtoolsBeans | undefined): void {
  if (container !== undefined && given !== undefined && container !== given && container.below !== given)
    throw new Error(
      "devtools.install(app, beans) was given another container than app.beans(beans): give both the same one",
    );
}

/** Mounting is configuring: too late, the app's own error would name a call that the application does not contain. */
function early(mount: () => unknown): void {
  try {
    mount();
  } catch (cause) {
    if (!(cause instanceof Error) || Reflect.get(cause, "code") !== "APP_STARTED") throw cause;
    throw new Error("devtools.install() came after the app was started: install devtools first, then start", { cause });
  }
}

/** Before the application has started its beans. */
const noContainer: DevtoolsBeans = { graph: () => ({ nodes: [], edges: [], unspied: [] }) };

const notInstrumentedLine =
  "devtools: no call of a bean is recorded: the container was built without .instrument(devtools.recorder())";

function graphOf(beans: DevtoolsBeans): BeanGraph {
  const { nodes, edges, unspied } = beans.graph();
  return { nodes, edges, unspied };
}

/** Where the app listens; undefined inside a host, whose address is not known here. */
function urlOf(app: DevtoolsHost): string | undefined {
  try {
    return app.url;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "APP_NOT_STARTED") return undefined;
    throw error;
  }
}

function startLine(app: DevtoolsHost, page: string, allowRemote: boolean, token: Token | undefined): string {
  const bound = app.about.host === undefined ? "every interface" : app.about.host;
  const local = app.about.host === "localhost" || isLoopback(app.about.host);
  const reach = allowRemote ? "other machines are served too" : "only this machine is served";
  const asks = token === undefined ? "; a proxy on this machine counts as this machine" : ", to all who open this link";
  return `devtools: ${page}${token?.search ?? ""} shows arguments and results of beans${asks}${local ? "" : `; the server listens on ${bound}, ${reach}`}`;
}
