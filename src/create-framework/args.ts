/**
 * The command line: parses the arguments into one command.
 *
 *   framework new demo --no-devtools  ──▶ { kind: "new", name: "demo", devtools: false, schema: "zod", … }
 *   create-framework demo --redis     ──▶ { kind: "new", name: "demo", devtools: true, redis: true, … }
 *   framework generate resource Order ──▶ { kind: "generate", what: "resource", name: Order in every spelling }
 *
 * An unknown argument is rejected with a sentence. Nothing is guessed.
 */
import { parseArgs } from "node:util";
import { documentCommand, documentHelp, understood, type DocumentCommand } from "./document-args.ts";
import { UsageError } from "./errors.ts";
import { resourceName, type ResourceName } from "./resource-name.ts";
import { schemas, type Schema, workEngines, type WorkEngineName } from "./schema.ts";
import { kinds, type Kind } from "./slice.ts";

/** The name the program was called by: `framework` takes a command first, `create-framework` only creates. */
export type Program = "framework" | "create-framework";

/** The command to run. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "new";
      /** Its name, its path, or `.`. */
      readonly name: string;
      readonly devtools: boolean;
      /** The library with which the project validates request bodies. */
      readonly schema: Schema;
      /** Keeps the state that several processes share in Redis. */
      readonly redis: boolean;
      /** The engine of its jobs, if it has some. */
      readonly work: WorkEngineName | undefined;
      /** Its routes are tools for agents. */
      readonly tools: boolean;
      /** The folder with the packages, by default those that came with the program. */
      readonly from: string | undefined;
    }
  | { readonly kind: "generate"; readonly what: Kind; readonly name: ResourceName }
  | DocumentCommand;

/** The output of `--help`. */
export const help: string = `Usage: framework new <project-name> [options]
       framework generate <what> <Name>
       framework client --url <url> --out <file> [--tanstack <file>] [--msw <file>] [--check]
       framework openapi [--out <file>] [--check <base>]
       create-framework <project-name> [options]

new, create-framework: a runnable TypeScript project in a new folder of that name. A path, . for
this folder if it is empty, and @scope/name for its package are allowed too.
  --devtools false   leave the development dashboard out (also --devtools=false, --no-devtools)
  --schema <name>    what checks request bodies: zod (default), valibot, typebox, or none for
                     checks that are written out
  --tools            the routes are tools for agents (Model Context Protocol), at /mcp
  --redis            sessions, rate limit, messages and tasks in Redis, for several processes
  --work <engine>    jobs that outlive a request, and a worker that does them: pg keeps them in
                     PostgreSQL with the tasks, redis in Redis (with all of --redis)
  --from <dir>       folder with the packages to depend on: framework-<version>.tgz,
                     framework-devtools-<version>.tgz and create-framework-<version>.tgz, or
                     the package folders themselves;
                     without it, the tarballs that came with this program

generate, inside a project: adds a slice with its tests, and wires it in src/module.ts.
  resource Order     controller, service and repository of /orders
  controller Order   the same, on the service and repository that are there
  service Order      a service, with its repository where there is none
  repository Order   a repository in memory

${documentHelp}
  --help             print this
  --version          print the version
`;

const options = {
  devtools: { type: "string", multiple: true },
  "no-devtools": { type: "boolean" },
  schema: { type: "string" },
  redis: { type: "boolean" },
  work: { type: "string" },
  tools: { type: "boolean" },
  from: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** Parses the arguments. @throws UsageError */
export function commandOf(args: readonly string[], program: Program): Command {
  const [first] = args;
  const isOfDocuments = program === "framework" && (first === "client" || first === "openapi");
  if (isOfDocuments && !args.some((word) => word === "--help" || word === "-h"))
    return documentCommand(first, args.slice(1));
  if (isOfDocuments) return { kind: "help" };
  const { values, positionals } = parsed(args);
  if (values.help === true || (args.length === 0 && program === "framework")) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  if (program === "framework" && positionals[0] === "generate") return generateOf(positionals.slice(1), values);
  const devtools = devtoolsOf(values.devtools ?? [], values["no-devtools"] === true);
  const schema = schemaOf(values.schema);
  const name = nameIn(positionals, program);
  const work = workOf(values.work);
  const { redis = false, tools = false, from } = values;
  return { kind: "new", name, devtools, schema, redis, work, tools, from };
}

function generateOf([what, name, extra]: readonly string[], values: Parsed["values"]): Command {
  const [option] = Object.keys(values);
  if (option !== undefined) throw new UsageError(`--${option} is no option of generate; --help lists them`);
  const kind = kinds.find((one) => one === what);
  const list = `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
  if (kind === undefined) {
    const said = what === undefined ? "what to generate is missing" : `${JSON.stringify(what)} cannot be generated`;
    throw new UsageError(`${said}: ${list} can`);
  }
  if (name === undefined) throw new UsageError(`its name is missing: framework generate ${kind} Order`);
  if (extra !== undefined) throw new UsageError(`one ${kind} at a time: ${JSON.stringify(extra)} is too much`);
  return { kind: "generate", what: kind, name: resourceName(name) };
}

type Parsed = ReturnType<typeof parseArgs<{ args: string[]; options: typeof options; allowPositionals: true }>>;

const parsed = (args: readonly string[]): Parsed =>
  understood(() => parseArgs({ args: [...args], options, allowPositionals: true }));

function devtoolsOf(given: readonly string[], left: boolean): boolean {
  const odd = given.find((word) => word !== "true" && word !== "false");
  if (odd !== undefined) throw new UsageError(`--devtools is ${JSON.stringify(odd)}: true or false is allowed`);
  const wishes = new Set([...given.map((word) => word === "true"), ...(left ? [false] : [])]);
  if (wishes.size > 1) throw new UsageError("--devtools is both wanted and not: say it once");
  return !wishes.has(false);
}

function schemaOf(given: string = "zod"): Schema {
  const schema = schemas.find((one) => one === given);
  if (schema !== undefined) return schema;
  throw new UsageError(`--schema is ${JSON.stringify(given)}: ${schemas.join(", ")} are allowed`);
}

function workOf(given: string | undefined): WorkEngineName | undefined {
  const engine = workEngines.find((one) => one === given);
  if (given === undefined || engine !== undefined) return engine;
  throw new UsageError(`--work is ${JSON.stringify(given)}: ${workEngines.join(" and ")} are allowed`);
}

function nameIn(positionals: readonly string[], program: Program): string {
  const [first, ...rest] = positionals;
  const hasCommand = program === "framework" || (first === "new" && rest.length > 0);
  if (hasCommand && first !== "new")
    throw new UsageError(
      `${JSON.stringify(first ?? "")} is no command: new, generate, client and openapi are; see --help`,
    );
  const [name, extra] = hasCommand ? rest : positionals;
  const usage = `${hasCommand ? "framework new" : "create-framework"} <project-name>`;
  if (name === undefined) throw new UsageError(`the project's name is missing: ${usage}`);
  if (extra !== undefined) throw new UsageError(`one project at a time: ${JSON.stringify(extra)} is too much`);
  return name;
}
