/**
 * The arguments of the commands for OpenAPI documents: `framework client` and `framework openapi`.
 *
 *   client --url openapi.json --out src/client.ts --check ──▶ { kind: "client", url, out, isCheck: true }
 *   openapi --check openapi.json                          ──▶ { kind: "openapi", check, out: undefined, app, path, … }
 */
import { parseArgs } from "node:util";
import { UsageError } from "./errors.ts";
import { DEFAULT_APP } from "./openapi/app.ts";

/** One of these commands, parsed. */
export type DocumentCommand =
  | {
      readonly kind: "client";
      readonly url: string;
      readonly out: string;
      readonly isCheck: boolean;
      readonly tanstack: string | undefined;
      readonly msw: string | undefined;
    }
  | {
      readonly kind: "openapi";
      readonly out: string | undefined;
      readonly check: string | undefined;
      readonly url: string | undefined;
      readonly app: string;
      readonly path: string;
    };

/** The part of `--help` about them. */
export const documentHelp: string = `client: writes a typed client of an OpenAPI document (3.0, 3.1 or 3.2, as JSON).
  --url <url>        where the document is: a URL or a file
  --out <file>       the TypeScript file to write
  --tanstack <file>  the file with its queries and mutations for TanStack Query 5
  --msw <file>       the file with handlers for Mock Service Worker 2, which respond with examples
  --check            write nothing; exit code 1 where a file is not the one of the document

openapi: the OpenAPI document of the project's app; printed unless a file is named.
  --out <file>       the file to write
  --check <base>     exit code 1, with the list, where something breaks for clients of that
                     document (a file or a URL)
  --app <file>       the compiled module that exports createApp or app (default ${DEFAULT_APP})
  --path <path>      where the app serves its document (default /openapi.json)
  --url <url>        take the document from there, a URL or a file, instead of the app
`;

const clientOptions = {
  url: { type: "string" },
  out: { type: "string" },
  tanstack: { type: "string" },
  msw: { type: "string" },
  check: { type: "boolean" },
} as const;
const openApiOptions = {
  out: { type: "string" },
  check: { type: "string" },
  app: { type: "string" },
  path: { type: "string" },
  url: { type: "string" },
} as const;

/** The command of the arguments after its name. @throws UsageError */
export function documentCommand(kind: "client" | "openapi", args: readonly string[]): DocumentCommand {
  return kind === "client" ? client(args) : openApi(args);
}

function client(args: readonly string[]): DocumentCommand {
  const { url, out, check, tanstack, msw } = understood(
    () => parseArgs({ args: [...args], options: clientOptions }).values,
  );
  if (url === undefined)
    throw new UsageError("--url is missing: framework client --url openapi.json --out src/client.ts");
  if (out === undefined)
    throw new UsageError("--out is missing: framework client --url openapi.json --out src/client.ts");
  if (new Set([out, tanstack ?? "", msw ?? " "]).size < 3)
    throw new UsageError("--out, --tanstack and --msw are different files: name each of them differently");
  return { kind: "client", url, out, isCheck: check === true, tanstack, msw };
}

function openApi(args: readonly string[]): DocumentCommand {
  const values = understood(() => parseArgs({ args: [...args], options: openApiOptions }).values);
  const { out, check, url, app = DEFAULT_APP, path = "/openapi.json" } = values;
  if (url !== undefined && (values.app !== undefined || values.path !== undefined))
    throw new UsageError("--url is another source than the app: say one of them");
  if (!path.startsWith("/")) throw new UsageError(`--path is ${JSON.stringify(path)}: a path begins with /`);
  return { kind: "openapi", out, check, url, app, path };
}

/** The result of `parse`; Node's error becomes one sentence, without its advice. */
export function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Node adds advice about positionals after the first sentence. Line feeds would break the single line.
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/\. To specify|\n/);
    throw new UsageError(`${sentence}; --help lists the options`, { cause: error });
  }
}
