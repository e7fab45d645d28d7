/**
 * The console: its lines as leaves of the run that wrote them.
 *
 *   Node ≥ 22 ──▶ channels console.log, console.info …      before ──▶ wrapped, only when asked for
 *
 * Nothing is formatted, since that would run the application's code a second time. The first argument is the message if it
 * is a text, with its primitive placeholders filled in. The others are values.
 *
 * Spec: spec/leaves.md
 */
import type { Source } from "./channels.ts";
import type { Description } from "./descriptions.ts";
import type { Leaves } from "./leaves.ts";

const levels = { log: "info", info: "info", debug: "debug", warn: "warn", error: "error" } as const;
type Method = keyof typeof levels;
const methods = Object.keys(levels) as readonly Method[];

const hasChannels = (): boolean => Number.parseInt(globalThis.process?.versions?.node ?? "", 10) >= 22;

/** The console as a source. @param wrap whether to wrap its methods if the runtime publishes nothing */
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

/** Wraps the console's methods. Returns the undo, which leaves a method that was replaced since unchanged. */
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

/** A line, from the method's arguments. */
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
