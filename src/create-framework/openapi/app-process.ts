/**
 * The process that loads a project's app and requests its document. It isolates the app's output, side effects and errors.
 *
 *   node app-process.js <file> <path> ──▶ import ──▶ createAppForDocument(), createApp() or app
 *                                                                └─▶ app.fetch(GET <path>) ──▶ { text } | { problem }
 *
 * No port is opened. The app is stopped and its beans are closed before the process ends.
 */
import { pathToFileURL } from "node:url";

/** The result: the document's text, or why there is none. */
export type AppMessage = { readonly text: string } | { readonly problem: string };

interface App {
  ready?(): Promise<unknown>;
  fetch(request: Request): Promise<Response>;
  stop?(): Promise<unknown>;
}

const [file = "", path = ""] = process.argv.slice(2);
// The parent is gone, so no one would end an app that hangs. The channel alone keeps no process alive.
process.on("disconnect", () => process.exit());
process.channel?.unref();
const message = await documentText().catch((error: unknown): AppMessage => ({ problem: sentenceOf(error) }));
process.send?.(message, () => process.exit(0));

async function documentText(): Promise<AppMessage> {
  const made = await madeBy(await loaded());
  const app = member(made, "app") ?? made;
  if (!isApp(app)) throw new Error(`it gives no application: createApp() resolves to one, or to { app }`);
  try {
    await app.ready?.();
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { headers: { Accept: "application/json" } }),
    );
    if (response.status === 200) return { text: await response.text() };
    throw new Error(
      `its app responds to GET ${path} with ${response.status}: mount OpenApiMiddleware of framework/openapi, or say its path with --path`,
    );
  } finally {
    await app.stop?.();
    await close(member(made, "beans"));
  }
}

async function loaded(): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const isSource = error instanceof Error && "code" in error && error.code === "ERR_UNKNOWN_FILE_EXTENSION";
    throw isSource ? new Error("this Node does not run TypeScript: name the compiled file", { cause: error }) : error;
  }
}

async function madeBy(module: unknown): Promise<unknown> {
  const forDocument = member(module, "createAppForDocument");
  if (typeof forDocument === "function") return (await forDocument()) as unknown;
  const create = member(module, "createApp");
  if (typeof create === "function") return madeWithoutArgument(create);
  if (member(module, "app") !== undefined) return module;
  throw new Error("it exports neither createApp nor app");
}

/** A parameter may be optional, so `createApp` is called all the same. */
async function madeWithoutArgument(create: Function): Promise<unknown> {
  try {
    return (await create()) as unknown;
  } catch (error) {
    if (create.length === 0) throw error;
    const remedy = "export createAppForDocument() from this file, which calls createApp with settings for the document";
    throw new Error(`createApp fails without its argument (${sentenceOf(error)}): ${remedy}`, { cause: error });
  }
}

async function close(beans: unknown): Promise<void> {
  const closing = member(beans, "close");
  if (typeof closing === "function") await closing.call(beans);
}

function member(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;
}

function isApp(value: unknown): value is App {
  return typeof member(value, "fetch") === "function";
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] || "it failed without a message";
}
