/**
 * Secrets in clear: for each place and form of a value in a trace, the hidden value becomes visible.
 *
 *   request.body { "dbPassword": "[redacted]" } ──▶ { "dbPassword": "in clear" }
 *
 * A place where no case hides a secret is a separate fault, of the kind `unseen`.
 */
import { isDeepStrictEqual } from "node:util";
import type { Shape } from "./documents.ts";
import { nothing, type Fault } from "./fault.ts";
import type { Path } from "./fields.ts";
import { relayOf, type Seen } from "./of-shapes.ts";

const hidden = "[redacted]";
const shown = "in clear";

type Form = "as a member" | "in a list" | "in a pair" | "as a text" | "within a text" | "as a name";

/** The places of values in a trace, and the forms that a secret can have there. */
const places: readonly (readonly [Path, readonly Form[]])[] = [
  [["path"], ["within a text"]],
  [["request", "pathParams"], ["as a member"]],
  [["request", "query"], ["in a list"]],
  [
    ["request", "headers"],
    ["in a list", "within a text"],
  ],
  [
    ["request", "body"],
    ["as a member", "in a list", "in a pair", "within a text", "as a name"],
  ],
  [["response", "headers"], ["in a list"]],
  [
    ["response", "body"],
    ["as a member", "in a list", "in a pair", "within a text", "as a name"],
  ],
  [
    ["calls", "[]", "args"],
    ["as a member", "in a list"],
  ],
  [["calls", "[]", "result"], ["as a member"]],
  [["error", "message"], ["as a text"]],
  [["leaves", "[]", "detail"], ["as a member"]],
];

/** Every place and form, in the shape of a trace. */
export function faultsOfSecrets(trace: Shape, { exchanges, steps }: Seen): readonly Fault[] {
  return places.flatMap(([path, forms]) =>
    forms.map((form) => {
      const relay = relayOf(trace, path, (value) => reveal(value, form));
      const isSeen =
        exchanges.some((exchange) => relay.rewrite(exchange) !== exchange) ||
        steps.some((step) => relay.rewriteItem(step)[0] !== step.item);
      const chapter = path[0] === "leaves" ? "leaves" : "trace";
      const target = `secret ${form} in Trace.${path.join(".").replaceAll(".[]", "[]")}`;
      return isSeen ? { chapter, target, kind: "in clear", ...relay } : { chapter, target, kind: "unseen", ...nothing };
    }),
  );
}

/** The value with secrets of that form in clear, or itself if there are none. */
function reveal(value: unknown, form: Form): unknown {
  const revealed = below(value, "as a text", form);
  return isDeepStrictEqual(revealed, value) ? value : revealed;
}

function below(value: unknown, as: Form, form: Form): unknown {
  if (typeof value === "string") return textOf(value, as, form);
  if (Array.isArray(value)) {
    const [name, second] = value as readonly unknown[];
    const isPair = value.length === 2 && typeof name === "string" && name !== hidden && second === hidden;
    return value.map((item) => below(item, isPair ? "in a pair" : "in a list", form));
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    form === "as a name" ? name.replaceAll(hidden, shown) : name,
    below(member, "as a member", form),
  ]);
  return Object.fromEntries(members) as unknown;
}

function textOf(text: string, as: Form, form: Form): string {
  if (text === hidden) return as === form ? shown : text;
  return form === "within a text" ? text.replaceAll(hidden, shown) : text;
}
