/** Compression as data: what of a response is coded, for whom. Spec: compression.md (COMP). */
import { traced } from "./traces.ts";
import { shows, step, type Expectation, type Step, type VectorContent } from "./vector.ts";

const accepting = (coding: string): VectorContent => ({ headers: { "accept-encoding": coding } });
const cached = (length: number, expect: Expectation, content?: VectorContent): Step =>
  step("GET", `/cached/${length}`, expect, content);
const inGzip = { "content-encoding": { names: "gzip" } } as const;
const dependent = { headers: { vary: { names: "Accept-Encoding" } } } as const;
const told = "/annotations/[name=compression]";

/** The vectors of this chapter. */
export const compression = [
  shows("COMP-001", "a large text comes in gzip to who takes that", [
    cached(2_000, { status: 200, headers: inGzip }, accepting("gzip")),
  ]),
  shows("COMP-021", "what was recorded comes out of the coding", [
    cached(2_500, { body: { is: "{{x*2500}}" } }, accepting("gzip")),
  ]),
  shows("COMP-002", "the response depends on Accept-Encoding, compressed or not", [
    ...[accepting("gzip"), accepting("identity"), undefined].map((content) => cached(3_000, dependent, content)),
    cached(3_000, dependent, { headers: { "if-none-match": "*" } }),
  ]),
  shows(
    "COMP-003",
    "who takes no coding gets the response without one",
    ["identity", "gzip;q=0, br;q=0, zstd;q=0", "unknown", ""].map((coding) =>
      cached(4_000, { headers: { "content-encoding": null }, body: { is: "{{x*4000}}" } }, accepting(coding)),
    ),
  ),
  shows("COMP-020", "a trace has the coding and the bytes before and after, of what is compressed alone", [
    ...traced(
      "GET",
      "/cached/20000?about=annotated-large",
      {
        [`${told}/value/coding`]: { is: "gzip" },
        [`${told}/value/before`]: { is: 20_000 },
        [`${told}/value/after`]: { from: 1, to: 1_000 },
      },
      { content: accepting("gzip") },
    ),
    ...traced(
      "GET",
      "/cached/20?about=annotated-small",
      { [told]: { present: false }, "/path": { is: "/cached/20" } },
      { content: accepting("gzip"), mark: "b" },
    ),
  ]),
];
