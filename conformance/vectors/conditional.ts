/** Conditional requests as data: tags, and what is asked by them. Spec: conditional.md (COND). */
import { traced } from "./traces.ts";
import { shows, step, type Expectation, type Step, type StepOptions } from "./vector.ts";

const saving = (name: string): StepOptions => ({ save: { [name]: { header: "etag" } } });
const tagged: Expectation = { headers: { etag: { matches: '^(?:W/)?"[!#-~]+"$' } } };
const is = (name: string): Expectation => ({ headers: { etag: { is: `{{${name}}}` } } });
const not = (name: string): Expectation => ({ headers: { etag: { not: `{{${name}}}` } } });

const query = (body: string, expect: Expectation, options?: StepOptions, ifNoneMatch?: string): Step => {
  const condition = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
  return step("QUERY", "/cached", expect, { headers: { "content-type": "text/plain", ...condition }, body }, options);
};

const given = (length: number, expect: Expectation, headers: Record<string, string>): Step =>
  step("GET", `/cached/${length}`, expect, { headers });

const told = "/annotations/[name=conditional]";

/** The vectors of this chapter. */
export const conditional = [
  shows("COND-001", "a whole response is tagged by its body", [
    step("GET", "/cached/10", tagged, {}, saving("ten")),
    step("HEAD", "/cached/10", is("ten")),
    step("GET", "/cached/11", not("ten")),
    query("a", tagged, saving("query")),
    query("a", is("query")),
    query("b", not("query")),
  ]),
  shows("COND-002", "a request that has the body already gets 304 and nothing", [
    step(
      "GET",
      "/cached/20",
      { status: 200 },
      {},
      { save: { tag: { header: "etag" }, strong: { header: "etag", part: "^(?:W/)?(.*)$" } } },
    ),
    ...["{{tag}}", '"other", W/{{strong}}', "{{strong}}"].map((tag) =>
      given(
        20,
        // Its length would be that of the 200 (RFC 9110 §8.6).
        { status: 304, headers: { "content-length": { without: "^0$" } }, body: { is: "" } },
        { "if-none-match": tag },
      ),
    ),
    given(20, { status: 200, body: { is: "{{x*20}}" } }, { "if-none-match": '"other"' }),
  ]),
  shows("COND-022", "a QUERY whose result the client has already gets 304", [
    query("mine", { status: 200 }, saving("mine")),
    query("mine", { status: 304 }, {}, "{{mine}}"),
  ]),
  shows("COND-023", "a 304 has the tag of the 200", [
    step("GET", "/cached/40", tagged, {}, saving("tag")),
    given(40, { status: 304, headers: { etag: { is: "{{tag}}" } } }, { "if-none-match": "*" }),
  ]),
  shows("COND-003", "where another body is wanted than there is the response is 412", [
    step("GET", "/cached/30", { status: 200 }, {}, { save: { strong: { header: "etag", part: "^(?:W/)?(.*)$" } } }),
    ...['"other"', "W/{{strong}}"].map((tag) => given(30, { status: 412 }, { "if-match": tag })),
    given(30, { status: 200 }, { "if-match": "*" }),
  ]),
  shows("COND-020", "a trace has the verdict, the field that decided and the validators", [
    step("GET", "/cached/30", { status: 200 }, {}, saving("tag")),
    ...traced(
      "GET",
      "/cached/30?about=annotated-condition",
      {
        [`${told}/value/outcome`]: { is: "notModified" },
        [`${told}/value/by`]: { is: "If-None-Match" },
        [`${told}/value/value`]: { is: "{{tag}}" },
        [`${told}/value/etag`]: { is: "{{tag}}" },
      },
      { content: { headers: { "if-none-match": "{{tag}}" } }, expect: { status: 304 } },
    ),
    ...traced(
      "GET",
      "/cached/30?about=annotated-no-condition",
      { [told]: { present: false }, "/path": { is: "/cached/30" } },
      { mark: "b" },
    ),
  ]),
];
