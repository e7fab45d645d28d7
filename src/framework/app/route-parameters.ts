/**
 * Route parameters that a handler reads and its route does not have, seen at the start.
 *
 *   GET /products, [ProductController, "show"] ──▶ the method's text: ctx.pathParam("id") ──▶ one line: {id} is missing
 *
 * A guess from the text, so a line of the log and no error: one method may serve two routes and look before it reads. What
 * cannot be seen so is said by the request's own error.
 *
 * Spec: spec/routing.md
 */
import type { BeanType } from "../beans/types.ts";
import type { RouteDefinition } from "../dispatch/registration.ts";
import { parsePattern } from "../routing/pattern.ts";

const reading = /\.pathParam(?:AsInt)?\(\s{0,9}(["'])([\w-]{1,64})\1[\s,]{0,9}\)/g;

/** Finds the bean as its factory made it: a decorator's wrapper has a text of its own. */
type Unwrap = (type: BeanType<object>) => object | undefined;

/** One sentence for each handler that reads a parameter its route lacks. */
export function missingParameters(
  routes: readonly RouteDefinition[],
  strictSlash: boolean,
  unwrap: Unwrap,
): readonly string[] {
  return routes.flatMap(({ method, pattern, handler }) => {
    const [run, name] =
      typeof handler === "function"
        ? [handler, "its handler"]
        : [memberOf(unwrap(handler[0]), handler[1]), `[${handler[0].name}, ${JSON.stringify(String(handler[1]))}]`];
    if (typeof run !== "function") return [];
    const text = Function.prototype.toString.call(run);
    const read = new Set([...text.matchAll(reading)].map(([, , parameter = ""]) => parameter));
    const { names } = parsePattern(pattern, strictSlash);
    const missing = [...read].filter((parameter) => !names.includes(parameter)).map((parameter) => `{${parameter}}`);
    return missing.length === 0
      ? []
      : [`${method} ${pattern}: ${name} reads ${missing.join(", ")}, and the path has no parameter of that name`];
  });
}

const memberOf = (bean: object | undefined, name: PropertyKey): unknown =>
  bean === undefined ? undefined : Reflect.get(bean, name);
