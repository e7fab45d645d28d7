/**
 * The command line of `framework-devtools`: each command, and the sentence for a mistake.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandOf, help, type Command } from "./args.ts";

const common = { url: undefined, waitMs: 0, width: undefined };

describe("commandOf", () => {
  const understood: Readonly<Record<string, Command>> = {
    "": { kind: "help" },
    help: { kind: "help" },
    "runs --help": { kind: "help" },
    "--version": { kind: "version" },
    runs: { kind: "runs", query: "", limit: 20, isJson: false, isFollowing: false, ...common },
    "runs status:5xx bean:Db --follow --json --limit 5 --url http://x": {
      kind: "runs",
      query: "status:5xx bean:Db",
      limit: 5,
      isJson: true,
      isFollowing: true,
      ...common,
      url: "http://x",
    },
    "runs -status:2xx bean:Db -- -x": {
      kind: "runs",
      query: "-status:2xx bean:Db -x",
      limit: 20,
      isJson: false,
      isFollowing: false,
      ...common,
    },
    "run 7 --wait 3 --width 80": { kind: "run", id: "7", form: "text", url: undefined, waitMs: 3_000, width: 80 },
    "send post /a -d {} -H a:b:c --header d:": {
      kind: "send",
      method: "POST",
      path: "/a",
      data: "{}",
      isJson: false,
      headers: [["a", "b:c"] as const, ["d", ""] as const],
      ...common,
    },
    "explain 7": { kind: "explain", id: "7", set: "", against: "", isJson: false, ...common },
    "explain --set status:5xx --against status:2xx --json": {
      kind: "explain",
      id: undefined,
      set: "status:5xx",
      against: "status:2xx",
      isJson: true,
      ...common,
    },
    "run 7 --json": { kind: "run", id: "7", form: "json", ...common },
    "run 7 --markdown": { kind: "run", id: "7", form: "markdown", ...common },
    "open run.json --width 80": { kind: "open", file: "run.json", width: 80 },
    "send GET / --json --wait 600 --width 10000": {
      kind: "send",
      method: "GET",
      path: "/",
      data: undefined,
      isJson: true,
      headers: [],
      url: undefined,
      waitMs: 6e5,
      width: 1e4,
    },
    "what-if last 3 --returns {} --after 5 --recorded A --recorded B -H a:b --json": {
      kind: "what-if",
      id: "last",
      whatIf: { call: 3, returns: {}, afterMs: 5 },
      beans: ["A", "B"],
      headers: [["a", "b"] as const],
      isJson: true,
      ...common,
    },
    "what-if 7 0 --throws 410:gone": {
      kind: "what-if",
      id: "7",
      whatIf: { call: 0, throws: { name: "HttpError", message: "gone", status: 410 } },
      beans: [],
      headers: [],
      isJson: false,
      ...common,
    },
    "what-if 7 0 --throws RangeError:": {
      kind: "what-if",
      id: "7",
      whatIf: { call: 0, throws: { name: "RangeError", message: "" } },
      beans: [],
      headers: [],
      isJson: false,
      ...common,
    },
    "replay last": { kind: "replay", id: "last", beans: undefined, headers: [], isJson: false, ...common },
    "replay 7 --recorded A --json": { kind: "replay", id: "7", beans: ["A"], headers: [], isJson: true, ...common },
    "jobs --json": { kind: "jobs", isJson: true, ...common },
    "retry mail 7": { kind: "retry", job: "mail", id: "7", ...common },
    "profile last --recorded A -H a:b": {
      kind: "profile",
      id: "last",
      beans: ["A"],
      headers: [["a", "b"] as const],
      isJson: false,
      ...common,
    },
    "graph diff b.json": { kind: "graph-diff", base: "b.json", forbid: [], rules: undefined, form: "text", ...common },
    "runs -h": { kind: "help" },
    "-v": { kind: "version" },
    graph: { kind: "graph", form: "text", ...common },
    "graph --mermaid": { kind: "graph", form: "mermaid", ...common },
    "graph diff b.json --forbid a->b --forbid c->d --rules r.json --markdown": {
      kind: "graph-diff",
      base: "b.json",
      forbid: ["a->b", "c->d"],
      rules: "r.json",
      form: "markdown",
      ...common,
    },
    mcp: { kind: "mcp", ...common, waitMs: 5_000 },
    "mcp --wait 0 --url http://x": { kind: "mcp", ...common, url: "http://x" },
  };
  for (const [typed, command] of Object.entries(understood))
    it(`understands ${JSON.stringify(typed)}`, () => {
      assert.deepEqual(commandOf(typed === "" ? [] : typed.split(" ")), command);
    });

  it("trims the name and the value of a header", () => {
    const command = commandOf(["send", "GET", "/", "-H", " Accept : text/html "]);
    assert.deepEqual(command.kind === "send" && command.headers, [["Accept", "text/html"]]);
  });

  const rejected: Readonly<Record<string, RegExp>> = {
    rums: /^"rums" is no command: runs, run, explain, open, send, what-if, profile, replay, jobs, retry, graph and mcp are; see --help$/,
    run: /^the id is missing: framework-devtools run <id>$/,
    "run 1 2": /^"2" is too much: /,
    "mcp 1": /^"1" is too much: framework-devtools mcp$/,
    "send GET": /^the path is missing: /,
    "send G(T /": /^"G\(T" is no method$/,
    "send GET / -H nothing": /^-H is "nothing": "Name: value" is allowed$/,
    "runs --limit 0": /^--limit is "0": a whole number from 1 to 100 is allowed$/,
    "runs --limit 101": /^--limit is "101": a whole number from 1 to 100 is allowed$/,
    "runs --limit x5": /^--limit is "x5": /,
    "runs --limit 5x": /^--limit is "5x": /,
    "runs --limit 0x5": /^--limit is "0x5": /,
    "runs --limit 5.5": /^--limit is "5.5": /,
    "runs --wait 601": /^--wait is "601": a whole number from 0 to 600 is allowed$/,
    send: /^the method is missing: framework-devtools send GET \/products\/1$/,
    "runs --wait soon": /^--wait is "soon": /,
    "runs --width 5": /^--width is "5": /,
    explain: /^the id is missing: framework-devtools explain <id>$/,
    "explain 7 --set is:failed": /^"7" is too much: framework-devtools explain --set <query>$/,
    "explain --against is:failed": /^--against needs the runs in question: /,
    "runs --jsn": /^Unknown option '--jsn'; see --help$/,
    "graph dif": /^graph takes no "dif": diff it takes, see --help$/,
    "what-if last": /^the call is missing: framework-devtools what-if last 3 --returns null$/,
    "what-if last x --returns 1": /^the call is "x": a whole number from 0 to 999999 is allowed$/,
    "what-if last 1": /^what-if takes --returns, --throws or --after: one outcome, and a time$/,
    "what-if last 1 --returns 1 --throws E:": /^what-if takes --returns, --throws or --after: one outcome, and a time$/,
    "what-if last 1 --returns {": /^--returns is "\{", which is not JSON$/,
    "what-if last 1 --throws no": /^"no" is no error: "RangeError: no stock" is allowed, or "410: gone"$/,
    "what-if last 1 --after 60001": /^--after is "60001": a whole number from 1 to 60000 is allowed$/,
    "graph --json --svg": /^--json and --svg are two forms: choose one$/,
    "graph diff": /^the base is missing: framework-devtools graph diff base\.json$/,
    "graph diff b --json --markdown": /^--json and --markdown are two forms: choose one$/,
  };
  for (const [typed, message] of Object.entries(rejected))
    it(`rejects ${typed}`, () => {
      assert.throws(() => commandOf(typed.split(" ")), { name: "TerminalError", message });
    });
});

describe("help", () => {
  it("shows the form of each command, and names each option", () => {
    for (const command of [
      "runs",
      "run",
      "explain",
      "open",
      "send",
      "what-if",
      "profile",
      "replay",
      "jobs",
      "retry",
      "graph",
      "graph diff",
      "mcp",
    ])
      assert.match(help, new RegExp(`^(Usage:| {6}) framework-devtools ${command}( [<\\[].*)?$`, "m"), command);
    const ofAll = ["--url", "--wait", "--width", "--help", "--version"];
    const ofRuns = ["--follow", "--limit", "--json", "--file", "--otlp", "--set", "--against"];
    const ofSend = ["-d, --data", "-H, --header", "--returns", "--throws", "--after", "--recorded"];
    const ofGraph = ["--mermaid, --svg", "--forbid", "--rules", "--markdown"];
    for (const option of [...ofAll, ...ofRuns, ...ofSend, ...ofGraph])
      assert.match(help, new RegExp(`^  ${option} `, "m"), option);
  });
});
