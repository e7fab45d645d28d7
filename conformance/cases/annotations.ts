/**
 * What middleware tells of a run, by HTTP.
 * Spec: trace.md, compression.md, conditional.md, rate-limit.md.
 */
import { proves } from "../kit/case.ts";
import { traced, type Trace } from "../kit/traces.ts";

/** The values that were told under that name. */
const told = ({ annotations = [] }: Trace, name: string): readonly unknown[] =>
  annotations.filter((one) => one.name === name).map(({ value }) => value);

/** The members of an object, of those names. */
const members = (value: unknown, ...names: readonly string[]): readonly unknown[] =>
  names.map((name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name]);

/** The cases of annotations. */
export const annotations = [
  proves("TRACE-090", "shows what was told in order, as it was then, without its secrets", async (probe) => {
    const mark = probe.token();
    const { trace, response } = await traced(probe, "GET", `/annotated/${mark}?about=annotated`);
    probe.equal("status", response.status, 200);
    const seen = trace.annotations?.map(({ name, value }) => ({ name, value }));
    probe.equal("the annotations", seen, [
      { name: "told", value: { mark, password: "[redacted]", list: ["first"] } },
      { name: "told", value: "[redacted]" },
    ]);
  }),

  proves("TRACE-090", "keeps fifty and counts the others", async (probe) => {
    const { trace } = await traced(probe, "GET", `/annotated/${probe.token()}?about=annotated-more&more=60`);
    const names = trace.annotations?.map(({ name }) => name);
    const more = Array.from({ length: 48 }, (_, at) => `more-${at + 1}`);
    probe.equal("the names", names, ["told", "told", ...more, "more"]);
    probe.equal("what stands for the others", trace.annotations?.at(-1)?.value, { $truncated: 12 });
  }),

  proves("TRACE-122", "says nothing where nothing was told", async (probe) => {
    const { trace } = await traced(probe, "GET", `/users/${probe.token()}?about=annotated-nothing`);
    probe.equal("whether there are annotations", Object.hasOwn(trace, "annotations"), false);
  }),

  proves("COMP-020", "tells the coding and the bytes before and after, of what it compresses alone", async (probe) => {
    const headers = { "accept-encoding": "gzip" };
    const large = await traced(probe, "GET", "/cached/20000?about=annotated-large", { headers });
    const [value] = told(large.trace, "compression");
    const sent = Number(large.response.header("content-length"));
    probe.equal("what was told", members(value, "coding", "before", "after"), ["gzip", 20_000, sent]);
    const small = await traced(probe, "GET", "/cached/20?about=annotated-small", { headers });
    probe.equal("what was told of a small one", told(small.trace, "compression"), []);
  }),

  proves("COND-020", "tells the verdict, the field that decided and the validators", async (probe) => {
    const etag = (await probe.send("GET", "/cached/30")).header("etag") ?? "";
    const path = "/cached/30?about=annotated-condition";
    const { response, trace } = await traced(probe, "GET", path, { headers: { "if-none-match": etag } });
    const [value] = told(trace, "conditional");
    const seen = [response.status, ...members(value, "outcome", "by", "value", "etag")];
    probe.equal("the status, and what was told", seen, [304, "notModified", "If-None-Match", etag, etag]);
    const plain = await traced(probe, "GET", "/cached/30?about=annotated-no-condition");
    probe.equal("what was told without a condition", told(plain.trace, "conditional"), []);
  }),

  proves("RATE-020", "tells the bucket, whether it allowed the request, and what is left", async (probe) => {
    const client = probe.token();
    const path = `/limited/${client}?about=annotated-limit`;
    const seen: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      const [value] = told((await traced(probe, "GET", path)).trace, "rateLimit");
      const [resetMs] = members(value, "resetMs");
      const isFullIn = typeof resetMs === "number" && resetMs > 0 && resetMs <= 60_000;
      seen.push([...members(value, "policy", "key", "allowed", "remaining"), isFullIn]);
    }
    probe.equal("what was told of four requests", seen, [
      ["subject", client, true, 2, true],
      ["subject", client, true, 1, true],
      ["subject", client, true, 0, true],
      ["subject", client, false, 0, true],
    ]);
  }),
];
