/**
 * The settings of a developer, checked once, and the switch that turns devtools off.
 *
 *   Devtools.create(options) + environment ──▶ Settings | off
 *
 * A bad value is an error that names the option, the value and what is allowed. The environment is read
 * only here, so devtools stay on or off while the application runs.
 *
 * Spec: spec/devtools.md
 */
import { isAbsolute, resolve } from "node:path";
import type { Class, Context } from "framework";
import type { LeafKind } from "./run/shapes.ts";
import { MAX_TRACES } from "./run/wire.ts";
import { nearest } from "./run/search/fields.ts";
import type { HistorySettings } from "./keep/history/history.ts";
import { type LeafChannel, leafKinds } from "./record/leaves/descriptions.ts";
import { isPromise } from "./capture/promise-warnings.ts";
import type { CaptureLimits } from "./capture/walk.ts";
import type { RedactOptions } from "./capture/redact.ts";
import type { Makers, InstanceData } from "./capture/revive.ts";
import { isToken } from "./serve/token.ts";

/** A type and the form in which its values are shown; `T` is a tuple of instance types. */
export type SnapshotForms<T extends readonly object[]> = {
  readonly [I in keyof T]: readonly [type: Class<T[I]>, form: (value: T[I]) => unknown];
};

/** Where and how many runs are kept on disk. */
export interface HistoryOptions {
  /** Relative to the working directory; `.framework/runs.jsonl` by default. */
  readonly file?: string | undefined;
  /** At most this many runs; 10,000 by default. */
  readonly runs?: number | undefined;
  /** At most this many bytes; 32 MiB by default. */
  readonly bytes?: number | undefined;
}

/** What `Devtools.create` takes. */
export interface DevtoolsOptions<T extends readonly object[] = readonly object[]> {
  /** The application's name on the page, by default the name in the package.json of the working directory. */
  readonly name?: string | undefined;
  /** How many traces are kept: 1 to 100, default 100. */
  readonly capacity?: number | undefined;
  /** `false` shows secrets; an object adds to the rules for secrets. */
  readonly redact?: false | RedactOptions | undefined;
  readonly limits?: Partial<CaptureLimits> | undefined;
  /** Hosts in addition to the local ones, e.g. `app.test:8080`; without a port, any port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Serve clients on other machines too. Their Host must still be local or in `allowedHosts`. */
  readonly allowRemote?: boolean | undefined;
  /**
   * Requires a secret from every client: the given text (16 to 256 letters, digits, `.`, `_`, `~` or `-`), or with `true` a
   * generated one that is kept in `.framework/devtools-token`. The link to the page is printed at start. Tools send
   * `X-Framework-Dev-Token`. `FRAMEWORK_DEVTOOLS_TOKEN` has the same effect if this option is not set.
   */
  readonly token?: boolean | string | undefined;
  /**
   * Keeps runs on disk, so that they survive a restart: with `true` in `.framework/runs.jsonl`, with a text in that file.
   * The file holds what the page shows, with the same redaction, and only its owner can read it.
   */
  readonly history?: boolean | string | HistoryOptions | undefined;
  /** The timeline flags calls that take longer. */
  readonly slowMs?: number | undefined;
  /** Requests are not traced if this returns true synchronously. */
  readonly ignore?: ((ctx: Context) => boolean) | undefined;
  /** `false` records only the name and message of errors, without stack, code and causes. */
  readonly stacks?: boolean | undefined;
  /**
   * The target of the page's links to files: `vscode` (the default), `cursor`, `idea`, `webstorm`, `zed`, or a template like
   * `myeditor://open?file={file}&line={line}&column={column}`; `false` for none.
   */
  readonly editor?: string | false | undefined;
  /** `false` records nothing below the beans, that is, no statements, outgoing requests or log lines. */
  readonly leaves?: boolean | undefined;
  /**
   * Receives spans that other services on this machine export by OTLP/HTTP, and draws these services:
   * `OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:8080/framework/dev`.
   */
  readonly otlp?: boolean | undefined;
  /**
   * Additional channels of `node:diagnostics_channel` with messages that are leaves:
   * `[{ channel: "shop.sql", kind: "sql", describe: ({ text, values }) => ({ statement: text, parameters: values }) }]`.
   */
  readonly channels?: readonly LeafChannel[] | undefined;
  /**
   * Lines of the console. By default they are recorded if Node publishes them, which it does from 22 on. `true` wraps the
   * console's methods if Node does not; `false` leaves them out.
   */
  readonly console?: boolean | undefined;
  /** Forms of types whose data is private: `[[Money, m => ({ amount: m.amount })]]`. */
  readonly snapshot?: SnapshotForms<T> | undefined;
  /**
   * How a replay makes instances from their snapshots, which are plain values:
   * `[[Money, ({ amount }) => Money.of(String(amount))]]`. For an error it gets `name` and `message` too.
   */
  readonly revive?: readonly ReviveForm[] | undefined;
}

/** A class, and a function that makes an instance of it from its snapshot. */
export type ReviveForm = readonly [type: Class<object>, make: (shown: Readonly<Record<string, unknown>>) => object];

type Given = { readonly [K in "name" | "slowMs" | "ignore" | "console"]: DevtoolsOptions[K] };
type Filled = {
  readonly [
    K in "capacity" | "redact" | "allowedHosts" | "allowRemote" | "token" | "stacks" | "leaves" | "otlp" | "channels"
  ]: NonNullable<DevtoolsOptions[K]>;
};

/** Options with every default filled in. */
export interface Settings extends Given, Filled {
  readonly limits: CaptureLimits;
  /** Undefined for memory only. */
  readonly history: (HistorySettings & { readonly given: string }) | undefined;
  /** A template, or undefined for no links. */
  readonly editor: string | undefined;
  readonly forms: ReadonlyMap<object, (value: object) => unknown>;
  readonly makers: Makers;
}

/** Whether devtools are on, and whether a line is logged if they are not. */
export interface Switch {
  readonly on: boolean;
  readonly warning: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultLimits: CaptureLimits = {
  stringChars: 16_384,
  depth: 8,
  items: 100,
  nodes: 5_000,
  snapshotBytes: 262_144,
  callsPerTrace: 500,
  leavesPerTrace: 500,
  traceBytes: 1_048_576,
  ringBytes: 33_554_432,
  streamClients: 16,
  streamBufferBytes: 4_194_304,
};

const offWords: ReadonlySet<string> = new Set(["false", "0", "off", "no"]);

const onWords: ReadonlySet<string> = new Set(["true", "1", "on", "yes"]);
const production: ReadonlySet<string> = new Set(["production", "prod"]);

/**
 * `false`, `0`, `off` and `no` turn devtools off; so does NODE_ENV=production (or `prod`, in any case) unless
 * FRAMEWORK_DEVTOOLS is `true`. `1`, `on` and `yes` change nothing. Any other word turns them off and is named, because off is
 * the safe side.
 */
export function readSwitch(env: Environment): Switch {
  const given = (env["FRAMEWORK_DEVTOOLS"] ?? "").trim();
  const word = given.toLowerCase();
  if (offWords.has(word)) return { on: false, warning: undefined };
  if (word !== "" && !onWords.has(word))
    return {
      on: false,
      warning: `devtools are off because FRAMEWORK_DEVTOOLS is ${JSON.stringify(given)}: ${[...onWords].join(", ")} leave them on, ${[...offWords].join(", ")} turn them off`,
    };
  if (word === "true" || !production.has((env["NODE_ENV"] ?? "").trim().toLowerCase()))
    return { on: true, warning: undefined };
  return {
    on: false,
    warning: `devtools are off because NODE_ENV is ${env["NODE_ENV"]?.trim()}: FRAMEWORK_DEVTOOLS=true turns them on, which shows the arguments and results of beans`,
  };
}

/** Checks the options and fills in the defaults. @throws RangeError or TypeError naming the option, the value and what is allowed. */
export function readOptions(options: DevtoolsOptions<never>, env: Environment): Settings {
  expectNames("Devtools", options, Object.keys(optionNames));
  const { redact = {}, allowRemote = false, slowMs, ignore, allowedHosts = [], stacks = true } = options;
  const { name, leaves = true, otlp = false, console: ofConsole } = options;
  if (name !== undefined && (typeof name !== "string" || name.trim() === "")) throw wrong("name", name, "a text");
  for (const flag of ["stacks", "leaves", "otlp", "console", "allowRemote"] as const)
    if (options[flag] !== undefined && typeof options[flag] !== "boolean")
      throw wrong(flag, options[flag], "true or false");
  if (slowMs !== undefined && !(Number.isFinite(slowMs) && slowMs >= 0))
    throw wrong("slowMs", slowMs, "a number of milliseconds from 0");
  if (ignore !== undefined && typeof ignore !== "function") throw wrong("ignore", ignore, "a function of the context");
  if (!Array.isArray(allowedHosts) || allowedHosts.some((host) => typeof host !== "string"))
    throw wrong("allowedHosts", allowedHosts, "an array of host names");
  const fromEnvironment = (env["FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS"] ?? "")
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
  return {
    name: name?.trim(),
    capacity: whole("capacity", options.capacity ?? MAX_TRACES, MAX_TRACES),
    redact: readRedact(redact),
    limits: readLimits(options.limits ?? {}),
    allowedHosts: [...allowedHosts, ...fromEnvironment],
    allowRemote,
    token: readToken(options.token, env),
    history: readHistory(options.history),
    slowMs,
    ignore,
    stacks,
    editor: readEditor(options.editor ?? "vscode"),
    leaves,
    otlp,
    channels: readChannels(options.channels ?? []),
    console: ofConsole,
    forms: readForms(options.snapshot ?? []),
    makers: readMakers(options.revive ?? []),
  };
}

/** Every option. An unknown name is a typo, which could show what the developer wanted to hide. */
const optionNames = {
  name: true,
  capacity: true,
  redact: true,
  limits: true,
  allowedHosts: true,
  allowRemote: true,
  token: true,
  history: true,
  slowMs: true,
  ignore: true,
  stacks: true,
  editor: true,
  leaves: true,
  otlp: true,
  channels: true,
  console: true,
  snapshot: true,
  revive: true,
} satisfies Record<keyof DevtoolsOptions, true>;

/** @throws RangeError naming the first unknown name, the known ones and the one that was probably meant */
function expectNames(where: string, given: object, names: readonly string[]): void {
  const options: unknown = given;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new RangeError(`${where} options are ${describeValue(options)}; allowed is an object of ${names.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = names.find((name) => nearest(unknown, [name.toLowerCase()]) !== undefined);
  const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw new RangeError(`${where} has no option ${unknown}: ${names.join(", ")} can be set${advice}`);
}

function readRedact(given: unknown): false | RedactOptions {
  if (given === false) return given;
  if (typeof given !== "object" || given === null) throw wrong("redact", given, "false, or { keys, values, custom }");
  expectNames("Devtools option redact", given, ["keys", "values", "custom"]);
  const { keys, values, custom } = given as Readonly<Record<string, unknown>>;
  if (!isListOf(keys, (key) => typeof key === "string" || key instanceof RegExp))
    throw wrong("redact.keys", keys, "an array of texts and patterns");
  if (!isListOf(values, (value) => value instanceof RegExp))
    throw wrong("redact.values", values, "an array of patterns");
  if (custom !== undefined && typeof custom !== "function")
    throw wrong("redact.custom", custom, "a function of a key and its value");
  return given;
}

const isListOf = (list: unknown, isItem: (item: unknown) => boolean): boolean =>
  list === undefined || (Array.isArray(list) && list.every(isItem));

/** The addresses that open a file in an editor. */
const editors: Readonly<Record<string, string>> = {
  vscode: "vscode://file/{file}:{line}:{column}",
  cursor: "cursor://file/{file}:{line}:{column}",
  idea: "idea://open?file={file}&line={line}&column={column}",
  webstorm: "webstorm://open?file={file}&line={line}&column={column}",
  zed: "zed://file/{file}:{line}:{column}",
};

/** A template of an address, with a place for the file. A browser must not run or load it. */
function readEditor(given: unknown): string | undefined {
  if (given === false) return undefined;
  const template = typeof given === "string" ? (Object.hasOwn(editors, given) ? editors[given] : given) : "";
  const isAddress =
    template !== undefined &&
    /^[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+$/i.test(template) &&
    !/^(?:javascript|data|blob|file|vbscript|about|view-source):/i.test(template) &&
    template.includes("{file}");
  if (isAddress) return template;
  const names = Object.keys(editors).join(", ");
  throw wrong("editor", given, `${names}, a template like myeditor://open?file={file}&line={line}, or false`);
}

function readToken(given: unknown, env: Environment): boolean | string {
  const word = (env["FRAMEWORK_DEVTOOLS_TOKEN"] ?? "").trim();
  const allowed = "true, false, or 16 to 256 letters, digits, dots, hyphens, underscores or tildes";
  if (given !== undefined) {
    if (typeof given === "boolean" || isToken(given)) return given;
    throw new RangeError(
      `Devtools option token is ${typeof given === "string" ? characters(given) : describeValue(given)}; allowed is ${allowed}`,
    );
  }
  if (word === "" || offWords.has(word.toLowerCase())) return false;
  if (onWords.has(word.toLowerCase())) return true;
  if (isToken(word)) return word;
  throw new RangeError(`FRAMEWORK_DEVTOOLS_TOKEN is ${characters(word)}; allowed is ${allowed}`);
}

/** Under sustained load, at most this many runs a second are written. */
const runsPerSecond = 25;

function readHistory(given: unknown): Settings["history"] {
  if (given === undefined || given === false) return undefined;
  const allowed = "true, false, the name of a file, or { file, runs, bytes }";
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== true && typeof given !== "string" && !isObject) throw wrong("history", given, allowed);
  if (isObject) expectNames("Devtools option history", given, ["file", "runs", "bytes"]);
  const { file, runs, bytes } = (isObject ? given : { file: given === true ? undefined : given }) as HistoryOptions;
  const name = file ?? ".framework/runs.jsonl";
  if (typeof name !== "string" || name.trim() === "" || name.includes("\0"))
    throw wrong(isObject ? "history.file" : "history", name, "the name of a file");
  return {
    given: name,
    file: isAbsolute(name) ? name : resolve(name),
    runs: whole("history.runs", runs ?? 10_000, 1_000_000),
    bytes: whole("history.bytes", bytes ?? 33_554_432, 1_073_741_824),
    runsPerSecond,
  };
}

/** A malformed secret is still kept out of the log. */
const characters = (secret: string): string => `a text of ${secret.length} characters`;

function readLimits(given: Partial<CaptureLimits>): CaptureLimits {
  expectNames("Devtools option limits", given, Object.keys(defaultLimits));
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) limits[name] = whole(`limits.${name}`, value, Number.MAX_SAFE_INTEGER);
  }
  return { ...defaultLimits, ...limits };
}

function readForms(forms: readonly unknown[]): ReadonlyMap<object, (value: object) => unknown> {
  const byPrototype = new Map<object, (value: object) => unknown>();
  for (const entry of forms) {
    const [type, form] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    const prototype: unknown = typeof type === "function" ? type.prototype : undefined;
    if (typeof form !== "function" || typeof prototype !== "object" || prototype === null)
      throw wrong("snapshot", entry, "pairs of a class and a function");
    byPrototype.set(prototype, (value) => Reflect.apply(form, undefined, [value]) as unknown);
  }
  return byPrototype;
}

function readMakers(entries: unknown): Makers {
  if (!Array.isArray(entries)) throw wrong("revive", entries, "an array of pairs of a class and a function");
  const makers = new Map<string, (shown: InstanceData) => unknown>();
  for (const entry of entries as unknown[]) {
    const [type, make] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    if (typeof type !== "function" || type.name === "" || typeof make !== "function")
      throw wrong("revive", entry, "pairs of a class and a function");
    if (makers.has(type.name)) throw wrong("revive", type.name, "one pair for each name of a class");
    makers.set(type.name, (shown) => madeNow(Reflect.apply(make, undefined, [shown]) as unknown));
  }
  return makers;
}

/** Requires a synchronous value, which a replay needs. @throws TypeError for a promise, and swallows its rejection */
function madeNow(made: unknown): unknown {
  if (!isPromise(made)) return made;
  throw new TypeError("its revive returned a promise: a value is needed");
}

function readChannels(given: unknown): readonly LeafChannel[] {
  if (!Array.isArray(given)) throw wrong("channels", given, "an array of { channel, kind, describe }");
  for (const [at, entry] of (given as unknown[]).entries()) {
    expectNames(`Devtools option channels[${at}]`, entry ?? {}, ["channel", "kind", "describe"]);
    const { channel, kind, describe } = (entry ?? {}) as Readonly<Record<keyof LeafChannel, unknown>>;
    if (typeof channel !== "string" || channel === "")
      throw wrong(`channels[${at}].channel`, channel, "the name of a channel");
    if (!isLeafKind(kind)) throw wrong(`channels[${at}].kind`, kind, leafKinds.join(", "));
    if (typeof describe !== "function") throw wrong(`channels[${at}].describe`, describe, "a function of a message");
  }
  return [...(given as LeafChannel[])];
}

const isLeafKind = (kind: unknown): kind is LeafKind => typeof kind === "string" && leafKinds.includes(kind);

function whole(name: string, value: unknown, max: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw wrong(
    name,
    value,
    max === Number.MAX_SAFE_INTEGER ? "a whole number from 1" : `a whole number from 1 to ${max}`,
  );
}

function wrong(name: string, value: unknown, allowed: string): RangeError {
  return new RangeError(`Devtools option ${name} is ${describeValue(value)}; allowed is ${allowed}`);
}

function describeValue(value: unknown): string {
  try {
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  } catch {
    return typeof value;
  }
}
