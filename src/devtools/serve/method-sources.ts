/**
 * Method sources: the file and the line of each method of a bean, from the engine itself.
 *
 *   beans, as they were made ──▶ methods ──▶ the engine's debugger: [[FunctionLocation]] ──▶ source map ──▶ file, line
 *
 * The debugger is attached to this process for the moment of the first request, and never before, so an application without such
 * a request pays nothing. No breakpoint is set and nothing is paused. If there is no debugger, as in a Node built without one,
 * the list is empty.
 */
import type { Debugger, Runtime, Session } from "node:inspector";
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { MethodSource } from "../run/shapes.ts";
import type { Stacks } from "../capture/stacks.ts";

const MOST = 5_000;

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
  const inspector = process.getBuiltinModule("node:inspector");
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

/** The session of this thread responds before `post` returns. */
function ask(session: Session, methods: readonly Method[]): readonly MethodLocation[] {
  let found: Runtime.EvaluateReturnType | undefined;
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => void urls.set(scriptId, url));
  session.post("Debugger.enable");
  const expression = `globalThis[Symbol.for(${JSON.stringify(HOLDER)})]`;
  session.post("Runtime.evaluate", { expression }, (_error, given) => void (found = given));
  const propertiesOf = (objectId = ""): Runtime.GetPropertiesReturnType | undefined => {
    let items: Runtime.GetPropertiesReturnType | undefined;
    session.post("Runtime.getProperties", { objectId, ownProperties: true }, (_error, given) => void (items = given));
    return items;
  };
  return (propertiesOf(found?.result.objectId)?.result ?? []).flatMap(({ name, value }): MethodLocation[] => {
    const method = methods[Number(name)];
    if (method === undefined) return [];
    const internal = propertiesOf(value?.objectId)?.internalProperties ?? [];
    const location = internal.find((one) => one.name === "[[FunctionLocation]]")?.value?.value as
      | Debugger.Location
      | undefined;
    if (location === undefined) return [];
    const { scriptId, lineNumber: line, columnNumber: column = 0 } = location;
    return [{ bean: method.bean, method: method.method, file: urls.get(scriptId) ?? "", line, column }];
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
