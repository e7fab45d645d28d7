/** Traces that show something else than middleware has told. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Mutant } from "../kit/mutant.ts";
import { spoilsTrace } from "../kit/spoil.ts";
import type { Trace } from "../kit/traces.ts";

type Annotation = NonNullable<Trace["annotations"]>[number];

/** Rewrites the annotations of the traces about `annotated<mark>`. */
const ofAnnotations = (
  name: string,
  id: RequirementId,
  mark: string,
  change: (annotations: readonly Annotation[]) => readonly Annotation[] | undefined,
): Mutant =>
  spoilsTrace(name, [id], `annotated${mark}`, ({ annotations = [], ...trace }) => {
    const changed = change(annotations);
    return changed === undefined ? trace : { ...trace, annotations: changed };
  });

/** The annotations, the values of those of one name changed. */
const withMembers =
  (name: string, members: object) =>
  (annotations: readonly Annotation[]): readonly Annotation[] =>
    annotations.map((one) => (one.name === name ? { name, value: { ...Object(one.value), ...members } } : one));

const without = (name: string) => (annotations: readonly Annotation[]) =>
  annotations.filter((one) => one.name !== name);
const also = (name: string) => (annotations: readonly Annotation[]) => [...annotations, { name, value: {} }];

/** The mutants of annotations. */
export const annotations = [
  ofAnnotations("annotations-of-forty-nine", "TRACE-090", "-more", without("more-48")),
  ofAnnotations("annotations-in-another-order", "TRACE-090", "", (all) => all.toReversed()),
  ofAnnotations("annotations-as-they-became", "TRACE-090", "", withMembers("told", { list: ["first", "second"] })),
  ofAnnotations("annotations-with-secrets", "TRACE-090", "", withMembers("told", { password: "hunter2" })),
  ofAnnotations("annotations-once-by-name", "TRACE-090", "", (all) => all.slice(0, 1)),
  ofAnnotations("annotations-without-end", "TRACE-090", "-more", (all) => [
    ...all.slice(0, -1),
    { name: "more-49", value: 49 },
  ]),
  ofAnnotations("annotations-that-are-not-counted", "TRACE-090", "-more", (all) => all.slice(0, -1)),
  ofAnnotations("annotations-that-are-counted-wrongly", "TRACE-090", "-more", withMembers("more", { $truncated: 1 })),
  ofAnnotations("annotations-of-nothing", "TRACE-090", "-nothing", () => [{ name: "told", value: null }]),
  ofAnnotations("compression-is-not-told", "COMP-020", "-large", without("compression")),
  ofAnnotations("compression-tells-another-coding", "COMP-020", "-large", withMembers("compression", { coding: "br" })),
  ofAnnotations("compression-tells-no-size", "COMP-020", "-large", withMembers("compression", { before: null })),
  ofAnnotations(
    "compression-tells-that-nothing-was-saved",
    "COMP-020",
    "-large",
    withMembers("compression", { after: 20_000 }),
  ),
  ofAnnotations("compression-tells-of-everything", "COMP-020", "-small", also("compression")),
  ofAnnotations("conditions-are-not-told", "COND-020", "-condition", without("conditional")),
  ofAnnotations(
    "conditions-tell-another-verdict",
    "COND-020",
    "-condition",
    withMembers("conditional", { outcome: "met" }),
  ),
  ofAnnotations(
    "conditions-tell-another-field",
    "COND-020",
    "-condition",
    withMembers("conditional", { by: "If-Match" }),
  ),
  ofAnnotations("conditions-tell-no-validator", "COND-020", "-condition", withMembers("conditional", { etag: null })),
  ofAnnotations("conditions-tell-of-everything", "COND-020", "-no-condition", also("conditional")),
  ofAnnotations("limits-are-not-told", "RATE-020", "-limit", without("rateLimit")),
  ofAnnotations("limits-tell-of-another-bucket", "RATE-020", "-limit", withMembers("rateLimit", { key: "other" })),
  ofAnnotations("limits-tell-that-all-is-allowed", "RATE-020", "-limit", withMembers("rateLimit", { allowed: true })),
  ofAnnotations("limits-tell-that-all-is-left", "RATE-020", "-limit", withMembers("rateLimit", { remaining: 3 })),
  ofAnnotations("limits-tell-no-time", "RATE-020", "-limit", withMembers("rateLimit", { resetMs: null })),
];
