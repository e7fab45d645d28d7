/**
 * Finished leaves with the secrets that were known by the end hidden, and without their payloads.
 *
 * Spec: spec/leaves.md
 */
import type { Json, Leaf, TaggedValue } from "../../run/shapes.ts";
import type { KnownSecrets } from "../../capture/secrets/known.ts";
import { copyOf } from "../../capture/strings.ts";

/** The leaf, with known secrets hidden. */
export function withoutSecrets(leaf: Leaf, secrets: KnownSecrets): Leaf {
  const { name, detail, error } = leaf;
  const kept = Object.entries(detail).filter(([key]) => facts.has(key));
  return {
    ...leaf,
    name: secrets.text(name),
    // Of the same kind as before; only texts and values within it change.
    detail: { ...secrets.record({ ...detail }), ...Object.fromEntries(kept) },
    error: error === null ? null : { name: error.name, message: secrets.text(error.message) },
  } as Leaf;
}

/** The members of a detail without application values. A number of rows is not a PIN. */
const facts: ReadonlySet<string> = new Set(["rows", "status", "hit", "run", "spanId", "parentSpanId"]);

const evicted: Json = { $evicted: true } satisfies TaggedValue;
const headChars = 80;
const headOf = (text: string): string => (text.length > headChars ? copyOf(`${text.slice(0, headChars)}…`) : text);

/** The leaf without its payload; its outline remains. */
export function withoutPayload(leaf: Leaf): Leaf {
  switch (leaf.kind) {
    case "sql": {
      const { result, parameters, statement, ...detail } = leaf.detail;
      const rows = result === undefined ? {} : { result: evicted };
      return {
        ...leaf,
        detail: { ...detail, statement: headOf(statement), parameters: parameters.map(() => evicted), ...rows },
      };
    }
    case "http":
      return {
        ...leaf,
        detail: { ...leaf.detail, url: headOf(leaf.detail.url), requestHeaders: {}, responseHeaders: {} },
      };
    case "cache":
      return {
        ...leaf,
        detail: { ...leaf.detail, key: headOf(leaf.detail.key), args: leaf.detail.args.map(() => evicted) },
      };
    case "log":
      return { ...leaf, detail: { ...leaf.detail, message: headOf(leaf.detail.message), fields: {} } };
    case "message":
      return { ...leaf, detail: { ...leaf.detail, body: evicted } };
    case "span":
      return { ...leaf, detail: { ...leaf.detail, attributes: {} } };
  }
}
