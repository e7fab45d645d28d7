/** Conditional requests: tags, and what is asked by them. Spec: conditional.md (COND). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

const text = { "content-type": "text/plain" };

const query = async (probe: Probe, body: string): Promise<string | undefined> =>
  (await probe.send("QUERY", "/cached", { headers: text, body })).header("etag");

/** The cases of this chapter. */
export const conditional = [
  proves("COND-001", "tags whole responses by their body", async (probe) => {
    const get = (await probe.send("GET", "/cached/10")).header("etag");
    const head = (await probe.send("HEAD", "/cached/10")).header("etag");
    const longer = (await probe.send("GET", "/cached/11")).header("etag");
    const [one, again, other] = [await query(probe, "a"), await query(probe, "a"), await query(probe, "b")];
    const odd = [get, one].filter((tag) => !/^(?:W\/)?"[!#-~]+"$/.test(tag ?? ""));
    probe.equal("tags of another form", odd, []);
    const seen = [head === get, longer === get, one === again, one === other, one === undefined];
    probe.equal("HEAD as GET, 11 as 10, QUERY as before, another QUERY as it, QUERY without", seen, [
      true,
      false,
      true,
      false,
      false,
    ]);
  }),

  proves("COND-002", "responds to a request that has the body already with 304 and nothing", async (probe) => {
    const tag = (await probe.send("GET", "/cached/20")).header("etag") ?? "";
    const strong = tag.replace(/^W\//, "");
    const seen = [];
    for (const ifNoneMatch of [tag, `"other", W/${strong}`, strong, '"other"']) {
      const { status, bytes } = await probe.send("GET", "/cached/20", { headers: { "if-none-match": ifNoneMatch } });
      seen.push([status, bytes.length]);
    }
    probe.equal("status and length", seen, [
      [304, 0],
      [304, 0],
      [304, 0],
      [200, 20],
    ]);
    const mine = await query(probe, "mine");
    const again = { headers: { ...text, "if-none-match": mine ?? "" }, body: "mine" };
    probe.equal("the status of a QUERY", (await probe.send("QUERY", "/cached", again)).status, 304);
  }),

  proves("COND-003", "responds with 412 where another body is wanted than there is", async (probe) => {
    const { status } = await probe.send("GET", "/cached/30", { headers: { "if-match": '"other"' } });
    const any = await probe.send("GET", "/cached/30", { headers: { "if-match": "*" } });
    probe.equal("the statuses", [status, any.status], [412, 200]);
  }),
];
