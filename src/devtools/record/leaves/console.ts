/**
 * The console: its lines as leaves of the run that wrote them.
 *
 *   Node ≥ 22 ──▶ channels console.log, console.info …      before ──▶ wrapped, only when asked for
 *
 * Nothing is formatted: that would run the application's code a second time. The first argument is the message when it is
 * a text, with the primitives that it asks for put in; the others are values.
 *
 * Spec: spec/leaves.md
 */
import type { Source } from "./channels.ts";
import type { Description } from "./descriptions.ts";
import type { Leaves } from "./leaves.ts";

const levels = { log: "info", info: "info", debug: "debug", warn: "warn", error: "error" } as const;
type Method = keyof typeof levels;
const methods = Object.keys(levels) as readonly Method[];

/** Has the runtime channels of its own for the console? */
const hasChannels = (): boolean => Number.parseInt(globalThis.process?.versions?.node ?? "", 10) >= 22;

/** The console as a source. @param wrap where the runtime publishes nothing, stand around its methods */
export const consoleLines =
  (wrap: boolean): Source =>
  (hub, leaves) => {
    if (!hasChannels()) {
      if (wrap) hub.onClose(wrapConsole(leaves));
      return;
    }
    for (const method of methods)
      hub.on(`console.${method}`, (args) => leaves.line("console", () => describeLine(method, args)));
  };

/** Stands around the console's methods. Returns the way back; a method that is another one by then is left alone. */
function wrapConsole(leaves: Leaves): () => void {
  const undo = methods.map((method) => {
    const original = console[method];
    const wrapper = (...args: unknown[]): void => {
      leaves.line("console", () => describeLine(method, args));
      Reflect.apply(original, console, args);
    };
    console[method] = wrapper;
    return () => {
      if (console[method] === wrapper) console[method] = original;
    };
  });
  return () => undo.forEach((one) => one());
}

/** A line, by what the method was given. */
export function describeLine(method: Method, given: unknown): Description {
  const args: readonly unknown[] = Array.isArray(given) ? given : [];
  const [first, ...rest] = args;
  if (typeof first !== "string") return lineOf(method, "", args);
  const left: unknown[] = [];
  const texts: string[] = [];
  let next = 0;
  const text = first.replace(/%[sdifjoOc%]/g, (place) => {
    if (place === "%%") return "%";
    if (next >= rest.length) return place;
    const value = rest[next];
    next += 1;
    if (isPrimitive(value)) return String(value);
    left.push(value);
    return "{}";
  });
  for (const value of rest.slice(next)) {
    if (isPrimitive(value) && left.length === 0) texts.push(String(value));
    else left.push(value);
  }
  return lineOf(method, [text, ...texts].join(" "), left);
}

const lineOf = (method: Method, message: string, values: readonly unknown[]): Description => ({
  level: levels[method],
  message,
  ...(values.length === 0 ? {} : { fields: { values } }),
});

const isPrimitive = (value: unknown): boolean =>
  (typeof value !== "object" || value === null) && typeof value !== "function" && typeof value !== "symbol";
