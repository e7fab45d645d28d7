/**
 * The option `exempt` of a middleware: the routes that it leaves alone.
 *
 * A route is named by its pattern and compared with the route of the request, not with the path. So no spelling of a path is
 * exempt by mistake, and a pattern that no route has is found at the start.
 */
import type { DeclaredRoute } from "../contract/contract.ts";
import type { Context } from "../http/context.ts";
import { didYouMean } from "../internal/suggestion.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** The exempt routes of one middleware. */
export class ExemptRoutes {
  readonly #owner: string;
  readonly #patterns: ReadonlySet<string>;

  /** @throws TypeError naming the first value that is no pattern. */
  constructor(owner: string, patterns: readonly string[] = []) {
    this.#owner = owner;
    this.#patterns = checkedTexts(
      owner,
      "exempt",
      patterns,
      isPattern,
      "patterns of routes such as /callback/{provider}",
    );
  }

  /** @throws TypeError when a pattern is that of no route. */
  checkRoutes(routes: readonly DeclaredRoute[]): void {
    if (this.#patterns.size === 0) return;
    const known = new Set(routes.map(({ path }) => path));
    const missing = [...this.#patterns].find((pattern) => !known.has(pattern));
    if (missing === undefined) return;
    const sentence = `${this.#owner} has exempt: ${shown(missing)}: no route has that pattern`;
    throw usageError("CONFIG_INVALID", `${sentence}${didYouMean(missing, [...known])}`);
  }

  /** Is the request's route exempt? */
  has({ route }: Context): boolean {
    return route !== undefined && this.#patterns.has(route);
  }
}

/** A list of texts, as a set. @throws TypeError naming the first one that is not allowed. */
export function checkedTexts(
  owner: string,
  name: string,
  texts: readonly string[],
  isAllowed: (text: unknown) => boolean,
  allowed: string,
): ReadonlySet<string> {
  const given: unknown = texts;
  const wrong: unknown = Array.isArray(given) ? given.find((text) => !isAllowed(text)) : given;
  if (wrong === undefined) return new Set(texts);
  throw usageError("CONFIG_INVALID", `${owner} has ${name}: ${shown(wrong)}: a list of ${allowed} is allowed`);
}

const isPattern = (text: unknown): boolean => typeof text === "string" && text.startsWith("/");
