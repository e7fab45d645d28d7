/**
 * The application in devtools: its name, its session, the line at its start, and the settings of its page.
 *
 * Spec: spec/devtools.md
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DevtoolsHost } from "../host.ts";
import { commitOf } from "../keep/history/commit.ts";
import type { SessionLine } from "../keep/history/lines.ts";
import { isLoopback } from "../record/services/this-machine.ts";
import { PAGE_PATH } from "../run/wire.ts";
import type { PageSettings } from "./page.ts";
import type { Token } from "./token.ts";

const LONGEST = 60;

/** The name in the package.json of this folder, or undefined without one. */
export function appName(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly name?: unknown };
    return typeof name === "string" && name !== "" ? name.slice(0, LONGEST) : undefined;
  } catch {
    return undefined;
  }
}

/** The application's name, which the page shows so that the tabs of several applications are distinguishable. */
export const nameOf = (given: string | undefined): string => given ?? appName(process.cwd()) ?? "application";

/** The identity of this process, for later ones. @param name as configured */
export function sessionOf(instance: string, name: string | undefined): SessionLine {
  const folder = process.cwd();
  return { instance, startedAt: Date.now(), app: name ?? appName(folder) ?? null, ...commitOf(folder) };
}

/** The facts for a page. */
interface PageFacts {
  readonly name: string | undefined;
  readonly slowMs: number | undefined;
  readonly stacks: boolean;
  /** A template of links that open a file, or undefined for no links. */
  readonly editor: string | undefined;
}

/** The page's settings: the slow limit, and how its links open a file. */
export function pageSettings({ name, slowMs, stacks, editor }: PageFacts): PageSettings {
  const links = stacks && editor !== undefined ? { "data-editor": editor, "data-root": process.cwd() } : {};
  return { "data-slow-ms": slowMs, "data-app": name ?? appName(process.cwd()), ...links };
}

/** The line at the start, with the page's address; undefined inside a host, since its address is not known here. */
export function startLine(app: DevtoolsHost, allowRemote: boolean, token: Token | undefined): string | undefined {
  const url = urlOf(app);
  if (url === undefined) return undefined;
  const page = `${url}${PAGE_PATH}${token?.search ?? ""}`;
  const bound = app.about.host === undefined ? "every interface" : app.about.host;
  const local = app.about.host === "localhost" || isLoopback(app.about.host);
  const reach = allowRemote ? "other machines are served too" : "only this machine is served";
  const asks = token === undefined ? "; a proxy on this machine counts as this machine" : ", to all who open this link";
  return `devtools: ${page} shows arguments and results of beans${asks}${local ? "" : `; the server listens on ${bound}, ${reach}`}`;
}

function urlOf(app: DevtoolsHost): string | undefined {
  try {
    return app.url;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "APP_NOT_STARTED") return undefined;
    throw error;
  }
}
