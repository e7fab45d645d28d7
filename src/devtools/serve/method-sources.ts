/**
 * Method sources: the file and the line of each method of a bean, from the engine itself.
 *
 *   beans, as they were made ──▶ methods ──▶ the engine's debugger: [[FunctionLocation]] ──▶ source map ──▶ file, line
 *
 * The debugger is attached to this process for the moment of the first request, and never before, so an application without such
 * a request pays nothing. No breakpoint is set and nothing is paused. If there is no debugger, as in a Node built without one,
 * the list is empty.
 */
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { MethodSource } from "../run/shapes.ts";
import type { Stacks } from "../capture/stacks.ts";

/** The most methods that are looked up. */
const MOST = 5_000;

/** The used part of Node's inspector: a session of this thread with responses before `post` returns. */
interface Session {
  connect(): void;
  disconnect(): void;
  on(event: "Debugger.scriptParsed", heard: (message: { readonly params: Script }) => void): unknown;
  post(method: string, params: object, heard: (error: Error | null, result: Properties) => void): void;
}
interface Script {
  readonly scriptId: string;
  readonly url: string;
}
interface Remote {
  readonly objectId?: string;
  readonly value?: Location;
}
interface Property {
  readonly name: string;
  readonly value: Remote;
}
interface Properties {
  readonly result: unknown;
  readonly internalProperties: readonly Property[];
}
/** The engine's location of a function, from zero. */
interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A method to look up. */
interface Method {
  readonly bean: string;
  readonly method: string;
  readonly code: object;
}

/** Where methods are. Found on the first request, and again if beans were made since. Empty if no stacks are shown. */
export function sourcesOf(
  recorder: { beans(): ReadonlyMap<string, object> },
  stacks: Pick<Stacks, "placeOf"> | undefined,
): () => readonly MethodSource[] {
  let known: { readonly beans: number; readonly sources: readonly MethodSource[] } | undefined;
  return () => {
    const beans = recorder.beans();
    if (known?.beans !== beans.size)
      known = { beans: beans.size, sources: stacks === undefined ? [] : methodSources(beans, stacks) };
    return known.sources;
  };
}

/** Where the methods of these beans are. Empty if the engine does not say. */
export function methodSources(
  beans: ReadonlyMap<string, object>,
  stacks: Pick<Stacks, "placeOf">,
): readonly MethodSource[] {
  const methods = [...beans].flatMap(([id, bean]) => methodsOf(id, bean)).slice(0, MOST);
  try {
    return located(methods).flatMap(({ bean, method, file, line, column }): MethodSource[] => {
      const place = stacks.placeOf(original(file, line, column));
      return place === undefined ? [] : [{ bean, method, ...place }];
    });
  } catch {
    return [];
  }
}

/** The functions that a call of the bean may run, by name. Of two with one name, it is the one that hides the other. */
function methodsOf(id: string, bean: object): readonly Method[] {
  const found = new Map<string, Method>();
  let object: object | null = bean;
  while (object !== null && object !== Object.prototype && !types.isProxy(object)) {
    for (const [method, property] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      const code: unknown = property.value;
      if (typeof code !== "function" || method === "constructor" || found.has(method)) continue;
      found.set(method, { bean: id, method, code });
    }
    object = Object.getPrototypeOf(object) as object | null;
  }
  return [...found.values()];
}

interface MethodLocation extends Omit<Method, "code"> {
  /** The engine's name of the script. */
  readonly file: string;
  /** From zero, like the engine. */
  readonly line: number;
  readonly column: number;
}

/** The functions are reachable under this name during the request. */
const HOLDER = "@framework/devtools methods";

/** Throws if there is no such debugger, or if its responses come later or differ. */
function located(methods: readonly Method[]): readonly MethodLocation[] {
  const inspector = process.getBuiltinModule("node:inspector") as { readonly Session: new () => Session };
  const session = new inspector.Session();
  session.connect();
  const holder = Symbol.for(HOLDER);
  Reflect.set(
    globalThis,
    holder,
    methods.map(({ code }) => code),
  );
  try {
    return ask(session, methods);
  } finally {
    Reflect.deleteProperty(globalThis, holder);
    session.disconnect();
  }
}

function ask(session: Session, methods: readonly Method[]): readonly MethodLocation[] {
  const post = (method: string, params: object): Properties => {
    let response: Properties | undefined;
    session.post(method, params, (_error, result) => void (response = result));
    return response as unknown as Properties;
  };
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => void urls.set(scriptId, url));
  post("Debugger.enable", {});
  const expression = `globalThis[Symbol.for(${JSON.stringify(HOLDER)})]`;
  const { objectId } = post("Runtime.evaluate", { expression }).result as Remote;
  const items = post("Runtime.getProperties", { objectId, ownProperties: true }).result as readonly Property[];
  return items.flatMap(({ name, value }): MethodLocation[] => {
    const found = methods[Number(name)];
    if (found === undefined) return [];
    const { internalProperties } = post("Runtime.getProperties", { objectId: value.objectId });
    const location = internalProperties.find((one) => one.name === "[[FunctionLocation]]")?.value.value;
    if (location === undefined) return [];
    const { scriptId, lineNumber: line, columnNumber: column } = location;
    return [{ bean: found.bean, method: found.method, file: urls.get(scriptId) ?? "", line, column }];
  });
}

/** The place in the original source, if source maps are on; counted from one. */
function original(file: string, line: number, column: number): { readonly file: string; readonly line: number } {
  const entry: { readonly originalSource?: string; readonly originalLine?: number } =
    findSourceMap(file)?.findEntry(line, column) ?? {};
  const { originalSource, originalLine = line } = entry;
  return { file: pathOf(originalSource ?? file), line: originalLine + 1 };
}

const pathOf = (place: string): string => (place.startsWith("file:") ? fileURLToPath(place) : place);
