/**
 * The command line: reads the arguments as one command.
 *
 *   framework-devtools runs status:5xx --json         ──▶ { kind: "runs", query: "status:5xx", isJson: true, … }
 *   framework-devtools graph diff base.json --forbid … ──▶ { kind: "graph-diff", base: "base.json", … }
 *
 * Any mistake is rejected with a sentence; nothing is guessed.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf } from "../../run/format.ts";
import type { Json, WhatIf } from "../../run/shapes.ts";
import { TerminalError } from "./errors.ts";

/** The options of every command that reads an application. */
export interface Common {
  readonly url: string | undefined;
  readonly waitMs: number;
  readonly width: number | undefined;
}

/** How a run is printed. */
export type RunForm = "text" | "json" | "file" | "markdown" | "otlp";
/** How a graph is printed. */
export type GraphForm = "text" | "json" | "mermaid" | "svg";
/** How a difference is printed. */
export type DiffForm = "text" | "json" | "markdown";

/** The command to run. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | (Common & {
      readonly kind: "runs";
      readonly query: string;
      readonly limit: number;
      readonly isJson: boolean;
      readonly isFollowing: boolean;
    })
  | (Common & { readonly kind: "run"; readonly id: string; readonly form: RunForm })
  | { readonly kind: "open"; readonly file: string; readonly width: number | undefined }
  | (Common & {
      readonly kind: "explain";
      /** One run, or undefined to compare runs. */
      readonly id: string | undefined;
      readonly set: string;
      readonly against: string;
      readonly isJson: boolean;
    })
  | (Common & {
      readonly kind: "send";
      readonly method: string;
      readonly path: string;
      readonly headers: readonly (readonly [name: string, value: string])[];
      /** A text, or `@` and a file with it. */
      readonly data: string | undefined;
      readonly isJson: boolean;
    })
  | (Common & {
      readonly kind: "what-if";
      readonly id: string;
      readonly whatIf: WhatIf;
      readonly beans: readonly string[];
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly isJson: boolean;
    })
  | (Common & {
      readonly kind: "profile";
      readonly id: string;
      readonly beans: readonly string[];
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly isJson: boolean;
    })
  | (Common & {
      readonly kind: "replay";
      readonly id: string;
      /** Undefined for those that the plan proposes. */
      readonly beans: readonly string[] | undefined;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly isJson: boolean;
    })
  | (Common & { readonly kind: "jobs"; readonly isJson: boolean })
  | (Common & { readonly kind: "retry"; readonly job: string; readonly id: string })
  | (Common & { readonly kind: "mcp" })
  | (Common & { readonly kind: "graph"; readonly form: GraphForm })
  | (Common & {
      readonly kind: "graph-diff";
      readonly base: string;
      readonly forbid: readonly string[];
      /** A file with `{ "forbid": […] }`. */
      readonly rules: string | undefined;
      readonly form: DiffForm;
    });

/** The output of `--help`. */
export const help: string = `Usage: framework-devtools runs [query] [--follow] [--limit <n>] [--json]
       framework-devtools run <id> [--json | --file | --markdown | --otlp]
       framework-devtools explain <id> [--json]
       framework-devtools explain --set <query> [--against <query>] [--json]
       framework-devtools open <file>
       framework-devtools send <METHOD> <path> [-d <data>] [-H <header>]... [--json]
       framework-devtools what-if <id> <call> [--returns <json> | --throws <error>] [--after <ms>]
                                  [--recorded <bean>]... [-H <header>]... [--json]
       framework-devtools profile <id> [--recorded <bean>]... [-H <header>]... [--json]
       framework-devtools replay <id> [--recorded <bean>]... [-H <header>]... [--json]
       framework-devtools jobs [--json]
       framework-devtools retry <job> <id>
       framework-devtools graph [--json | --mermaid | --svg]
       framework-devtools graph diff <base.json> [--forbid <rule>]... [--rules <file>]
                                                 [--json | --markdown]
       framework-devtools mcp

runs: kept runs that hold what the query asks, the newest last.
  query              as the page's search: status:5xx bean:OrderRepository dur>20ms "out of stock"
  --follow           goes on with runs as they complete
  --limit <n>        so many of the kept ones at most, from 1 to 100 (default 20)
  --json             a SearchHit on each line

run: one run as a tree, with times, what is below the calls, and errors.
  id                 a number as runs prints it, a request id, or last: the last request
  --json             the Trace
  --file             a file that the page and open read: the run with its graph
  --markdown         for an issue: error, path, times and a cURL command
  --otlp             spans of OpenTelemetry, as OTLP/JSON

open: the runs in a file, each as a tree. Needs no application.
  file               of run --file or Save run, or spans as OTLP/JSON, whole or a line each

explain: the facts about one run, or what sets some runs apart from others.
  --set <query>      the runs in question, such as status:5xx or "dur>200ms"
  --against <query>  what they are compared with (default: all other kept runs)
  --json             the findings and the time of the run, or the AgentSetExplanation

send: a request to the application, and the run that it gave.
  -d, --data <data>  its body, or @ and a file that has it
  -H, --header <h>   a header, as in -H 'Accept: text/html'
  --json             the Trace

what-if: the request of a run once more, in which one call has another outcome.
  call               the number of the call, as run prints it
  --returns <json>   what it returns
  --throws <error>   what it throws: "RangeError: no stock", or with a status "410: gone"
  --after <ms>       how long it takes at least
  --recorded <bean>  a bean that returns what the run recorded
  -H, --header <h>   a header, also one that the run has redacted
  --json             the Trace

profile: the request of a run once more, and the lines of code that took its time.
  --recorded <bean>  a bean that returns what the run recorded
  -H, --header <h>   a header, also one that the run has redacted
  --json             the Trace

replay: the request of a run once more, or the attempt at a job, with what it recorded.
  --recorded <bean>  a bean that returns what the run recorded (default: as the page proposes)
  -H, --header <h>   a header, also one that the run has redacted
  --json             the Trace

jobs: the jobs that wait, run and have died, the schedules, and the dead letters.
  --json             the JobsView

retry: a dead letter goes back to its engine, which tries it again.
  job, id            as jobs prints them

graph: the beans and how they depend on each other.
  --json             the graph and the routes, to compare later graphs with
  --mermaid, --svg   a flowchart, a picture

graph diff: what changed since a graph --json. Exit code 1 where a rule is broken.
  --forbid <rule>    a dependency that must not be, as in "controller -> repository";
                     each side is a stereotype or the name of a bean, * in it for anything
  --rules <file>     the same from a file: { "forbid": ["controller -> repository"] }
  --markdown         for the summary of a pull request
  --json             the GraphDiff, and what is forbidden

mcp: a Model Context Protocol server for coding agents, on standard input and output.
                     waits 5 s for an application that starts, or as long as --wait says

  --url <url>        the application, with its context path (default http://localhost:8080,
                     or FRAMEWORK_DEVTOOLS_URL)
  --wait <seconds>   waits so long for an application that starts
  --width <columns>  cuts and wraps lines at that width, as a terminal does
  --help             print this
  --version          print the version

Exit codes: 0, 1 where a rule is broken, 2 where the command could not be carried out.
A token of devtools is read from .framework/devtools-token, or FRAMEWORK_DEVTOOLS_TOKEN.
`;

const common = { url: { type: "string" }, wait: { type: "string" }, width: { type: "string" } } as const;
const json = { type: "boolean" } as const;
const text = { type: "string" } as const;
const texts = { type: "string", multiple: true } as const;

/** Reads the arguments. @throws TerminalError */
export function commandOf(args: readonly string[]): Command {
  const [first, ...rest] = args;
  const isAsked = (name: string, letter: string): boolean => args.includes(`--${name}`) || args.includes(`-${letter}`);
  if (first === undefined || first === "help" || isAsked("help", "h")) return { kind: "help" };
  if (first === "--version" || first === "-v") return { kind: "version" };
  switch (first) {
    case "runs":
      return runsOf(rest);
    case "run":
      return runOf(rest);
    case "explain":
      return explainOf(rest);
    case "open":
      return openOf(rest);
    case "send":
      return sendOf(rest);
    case "what-if":
      return whatIfOf(rest);
    case "profile":
      return profileOf(rest);
    case "replay":
      return replayOf(rest);
    case "jobs":
      return jobsOf(rest);
    case "retry":
      return retryOf(rest);
    case "graph":
      return rest[0] === "diff" ? diffOf(rest.slice(1)) : graphOf(rest);
    case "mcp":
      return mcpOf(rest);
    default:
      throw new TerminalError(
        `${JSON.stringify(first)} is no command: runs, run, explain, open, send, what-if, profile, replay, jobs, retry, graph and mcp are; see --help`,
      );
  }
}

function runsOf(args: readonly string[]): Command {
  const options = { ...common, json, follow: json, limit: text } as const;
  // A term after one `-` belongs to the query, because no option has one letter except those handled before.
  const words = args.map((word) => (/^-[^-]/.test(word) ? ` ${word}` : word));
  const { values, positionals } = understood({ args: words, options, allowPositionals: true });
  const limit = wholeOf("--limit", values.limit ?? "20", 1, 100);
  const query = positionals.map((word) => word.trimStart()).join(" ");
  const [isJson, isFollowing] = [values.json === true, values.follow === true];
  return { kind: "runs", query, limit, isJson, isFollowing, ...commonOf(values) };
}

function runOf(args: readonly string[]): Command {
  const options = { ...common, json, file: json, markdown: json, otlp: json } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const [id] = exactly(positionals, ["id"], "run <id>");
  const form = oneOf(values, ["json", "file", "markdown", "otlp"]) ?? "text";
  return { kind: "run", id, form, ...commonOf(values) };
}

function explainOf(args: readonly string[]): Command {
  const options = { ...common, json, set: text, against: text } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const { set = "", against = "" } = values;
  const about = { set, against, isJson: values.json === true, ...commonOf(values) };
  if (set === "" && against === "")
    return { kind: "explain", id: exactly(positionals, ["id"], "explain <id>")[0], ...about };
  exactly(positionals, [], "explain --set <query>");
  if (set === "")
    throw new TerminalError("--against needs the runs in question: explain --set status:5xx --against status:2xx");
  return { kind: "explain", id: undefined, ...about };
}

function openOf(args: readonly string[]): Command {
  const { values, positionals } = understood({ args: [...args], options: { width: text }, allowPositionals: true });
  const [file] = exactly(positionals, ["file"], "open run.json");
  return { kind: "open", file, width: widthOf(values.width) };
}

const widthOf = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : wholeOf("--width", given, 40, 10_000);

function sendOf(args: readonly string[]): Command {
  const options = { ...common, json, data: { ...text, short: "d" }, header: { ...texts, short: "H" } } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const [method, path] = exactly(positionals, ["method", "path"], "send GET /products/1");
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/.test(method))
    throw new TerminalError(`${JSON.stringify(method)} is no method`);
  return {
    kind: "send",
    method: method.toUpperCase(),
    path,
    headers: headersOf(values.header),
    data: values.data,
    isJson: values.json === true,
    ...commonOf(values),
  };
}

const headersOf = (lines: readonly string[] = []): readonly (readonly [string, string])[] =>
  lines.map((line) => {
    const at = line.indexOf(":");
    if (at < 1) throw new TerminalError(`-H is ${JSON.stringify(line)}: "Name: value" is allowed`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });

function whatIfOf(args: readonly string[]): Command {
  const own = { returns: text, throws: text, after: text, recorded: texts, header: { ...texts, short: "H" } } as const;
  const { values, positionals } = understood({
    args: [...args],
    options: { ...common, json, ...own },
    allowPositionals: true,
  });
  const [id, call] = exactly(positionals, ["id", "call"], "what-if last 3 --returns null");
  const { returns, throws, after } = values;
  if ((returns === undefined) === (throws === undefined) && (returns !== undefined || after === undefined))
    throw new TerminalError("what-if takes --returns, --throws or --after: one outcome, and a time");
  const whatIf: WhatIf = {
    call: wholeOf("the call", call, 0, 999_999),
    ...(returns === undefined ? {} : { returns: jsonOf("--returns", returns) }),
    ...(throws === undefined ? {} : { throws: thrownOf(throws) }),
    ...(after === undefined ? {} : { afterMs: wholeOf("--after", after, 1, 60_000) }),
  };
  const [beans, headers] = [values.recorded ?? [], headersOf(values.header)];
  return { kind: "what-if", id, whatIf, beans, headers, isJson: values.json === true, ...commonOf(values) };
}

function profileOf(args: readonly string[]): Command {
  const options = { ...common, json, recorded: texts, header: { ...texts, short: "H" } } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const [id] = exactly(positionals, ["id"], "profile last");
  const [beans, headers] = [values.recorded ?? [], headersOf(values.header)];
  return { kind: "profile", id, beans, headers, isJson: values.json === true, ...commonOf(values) };
}

function replayOf(args: readonly string[]): Command {
  const options = { ...common, json, recorded: texts, header: { ...texts, short: "H" } } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const [id] = exactly(positionals, ["id"], "replay last");
  const [beans, headers] = [values.recorded, headersOf(values.header)];
  return { kind: "replay", id, beans, headers, isJson: values.json === true, ...commonOf(values) };
}

function jobsOf(args: readonly string[]): Command {
  const { values, positionals } = understood({ args: [...args], options: { ...common, json }, allowPositionals: true });
  exactly(positionals, [], "jobs");
  return { kind: "jobs", isJson: values.json === true, ...commonOf(values) };
}

function retryOf(args: readonly string[]): Command {
  const { values, positionals } = understood({ args: [...args], options: common, allowPositionals: true });
  const [job, id] = exactly(positionals, ["job", "id"], "retry <job> <id>");
  return { kind: "retry", job, id, ...commonOf(values) };
}

/** An error as `RangeError: no stock`, or `410: gone` for the framework's with that status. @throws TerminalError */
export function thrownOf(given: string): NonNullable<WhatIf["throws"]> {
  const [, status, name = "HttpError", message = ""] = /^(?:([45]\d\d)|([\w$]+)): ?(.*)$/s.exec(given) ?? [];
  if (status === undefined && name === "HttpError")
    throw new TerminalError(`${JSON.stringify(given)} is no error: "RangeError: no stock" is allowed, or "410: gone"`);
  return { name, message, ...(status === undefined ? {} : { status: Number(status) }) };
}

function jsonOf(name: string, given: string): Json {
  try {
    return JSON.parse(given) as Json;
  } catch (cause) {
    throw new TerminalError(`${name} is ${JSON.stringify(given)}, which is not JSON`, { cause });
  }
}

function graphOf(args: readonly string[]): Command {
  const options = { ...common, json, mermaid: json, svg: json } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  if (positionals[0] !== undefined)
    throw new TerminalError(`graph takes no ${JSON.stringify(positionals[0])}: diff it takes, see --help`);
  const form = oneOf(values, ["json", "mermaid", "svg"]) ?? "text";
  return { kind: "graph", form, ...commonOf(values) };
}

function diffOf(args: readonly string[]): Command {
  const options = { ...common, json, markdown: json, forbid: texts, rules: text } as const;
  const { values, positionals } = understood({ args: [...args], options, allowPositionals: true });
  const [base] = exactly(positionals, ["base"], "graph diff base.json");
  const form = oneOf(values, ["json", "markdown"]) ?? "text";
  return { kind: "graph-diff", base, forbid: values.forbid ?? [], rules: values.rules, form, ...commonOf(values) };
}

function mcpOf(args: readonly string[]): Command {
  const { values, positionals } = understood({ args: [...args], options: common, allowPositionals: true });
  exactly(positionals, [], "mcp");
  const wait = values.wait ?? String(RESTART_S);
  return { kind: "mcp", ...commonOf({ ...values, wait }) };
}

/** An application in development restarts all the time. An agent's call waits for it for this long. */
const RESTART_S = 5;

function commonOf(values: { readonly [name in keyof typeof common]?: string | undefined }): Common {
  return {
    url: values.url,
    waitMs: 1_000 * wholeOf("--wait", values.wait ?? "0", 0, 600),
    width: widthOf(values.width),
  };
}

function wholeOf(name: string, given: string, least: number, most: number): number {
  if (/^\d{1,6}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given);
  throw new TerminalError(`${name} is ${JSON.stringify(given)}: a whole number from ${least} to ${most} is allowed`);
}

/** The chosen form, of which there is one at most. */
function oneOf<T extends string>(values: { readonly [name: string]: unknown }, forms: readonly T[]): T | undefined {
  const [chosen, more] = forms.filter((form) => values[form] === true);
  if (more !== undefined) throw new TerminalError(`--${chosen} and --${more} are two forms: choose one`);
  return chosen;
}

/** The arguments without a name, as many as a command takes. */
function exactly<const N extends readonly string[]>(
  given: readonly string[],
  names: N,
  usage: string,
): { readonly [K in keyof N]: string } {
  const missing = names[given.length];
  if (missing !== undefined) throw new TerminalError(`the ${missing} is missing: framework-devtools ${usage}`);
  const extra = given[names.length];
  if (extra !== undefined) throw new TerminalError(`${JSON.stringify(extra)} is too much: framework-devtools ${usage}`);
  return given as { readonly [K in keyof N]: string };
}

function understood<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const [sentence = ""] = messageOf(cause).split(". ");
    throw new TerminalError(`${sentence.split("\n", 1)[0]}; see --help`, { cause });
  }
}
