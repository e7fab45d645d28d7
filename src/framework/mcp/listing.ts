/**
 * The list of tools, in pages. An app with many tools lists them in brief, with their schemas on demand.
 *
 *   tools/list ──▶ 100 of them, whole ──▶ nextCursor ──▶ the next ones
 *   more tools than `wholeUpTo` ──▶ each in brief (60 tokens at most), and `describe-tools` returns whole ones
 *
 * A cursor is a place and the digest of the list, so that one of another deployment is rejected.
 */
import { usageError } from "../internal/usage-errors.ts";
import { digestOf } from "../internal/digest.ts";
import { failed, type ToolResult } from "./result.ts";
import type { Tool, ToolDefinition } from "./tools.ts";

/** The tool that returns the whole definitions of others. */
export const DESCRIBE = "describe-tools";

/** Tools on a page. */
const PAGE = 100;
/** The most that one call describes. */
const MOST_DESCRIBED = 20;
/** Characters of a description in brief. */
const BRIEF = 60;

/** A page of the list. */
export interface ToolPage {
  readonly tools: readonly ToolDefinition[];
  readonly nextCursor?: string;
}

/** The list of an app's tools. */
export class Listing {
  readonly isBrief: boolean;
  /** Changes when a tool does. */
  readonly digest: string;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #listed: readonly ToolDefinition[];

  /** @throws TypeError when the app has a tool with the name of the one that describes them. */
  constructor(tools: ReadonlyMap<string, Tool>, wholeUpTo: number) {
    const whole = [...tools.values()].map(({ definition }) => definition);
    this.#tools = tools;
    this.isBrief = whole.length > wholeUpTo;
    if (this.isBrief && tools.has(DESCRIBE))
      throw usageError("CONTRACT_INVALID", `a tool has the name ${DESCRIBE}, which describes all others here`);
    this.#listed = this.isBrief ? [describing, ...whole.map(inBrief)] : whole;
    this.digest = digestOf(JSON.stringify(whole));
  }

  /** A page of the list, or undefined for a cursor that is none. */
  page(cursor: string | undefined): ToolPage | undefined {
    const start = cursor === undefined ? 0 : this.#placeOf(cursor);
    if (start === undefined) return undefined;
    const end = start + PAGE;
    const more = end < this.#listed.length ? { nextCursor: `${end}.${this.digest}` } : {};
    return { tools: this.#listed.slice(start, end), ...more };
  }

  #placeOf(cursor: string): number | undefined {
    const [, place, digest] = /^(\d{1,9})\.(\w+)$/.exec(cursor) ?? [];
    const start = Number(place);
    return digest === this.digest && start % PAGE === 0 && start < this.#listed.length ? start : undefined;
  }

  /** The whole definitions of the named tools. */
  described(names: unknown): ToolResult {
    const asked: unknown[] = Array.isArray(names) ? names : [];
    if (asked.length === 0 || asked.length > MOST_DESCRIBED)
      return failed(`names is a list of 1 to ${MOST_DESCRIBED} names of tools`);
    const unknown = asked.find((name) => typeof name !== "string" || !this.#tools.has(name));
    if (unknown !== undefined) return failed(`there is no tool ${JSON.stringify(unknown)?.slice(0, 130)}`);
    const tools = asked.flatMap((name) => this.#tools.get(String(name))?.definition ?? []);
    return { content: [{ type: "text", text: JSON.stringify({ tools }) }], structuredContent: { tools } };
  }
}

const describing: ToolDefinition = {
  name: DESCRIBE,
  description: "Returns the whole definitions of tools, with their schemas: use it before the first call of a tool.",
  inputSchema: {
    type: "object",
    properties: { names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: MOST_DESCRIBED } },
    required: ["names"],
  },
  annotations: { readOnlyHint: true },
};

function inBrief({ name, title, description = title, annotations }: ToolDefinition): ToolDefinition {
  const first = description?.split("\n")[0] ?? "";
  const text = first.length <= BRIEF ? first : `${first.slice(0, BRIEF - 1)}…`;
  return { name, ...(text === "" ? {} : { description: text }), inputSchema: { type: "object" }, annotations };
}
