/** Entity tags that a vector cannot express. Spec: conditional.md (COND). */
import { proves } from "../kit/case.ts";

/** The cases of this chapter that are not vectors. */
export const conditional = [
  proves("COND-024", "marks a tag as weak if two content codings share it", async (probe) => {
    const coded = (coding: string) => probe.send("GET", "/cached/5000", { headers: { "accept-encoding": coding } });
    const [plain, gzip] = [await coded("identity"), await coded("gzip")];
    probe.equal("the length of the text", plain.bytes.length, 5_000);
    const [tag = "", other] = [plain.header("etag"), gzip.header("etag")];
    const isShared = gzip.header("content-encoding") !== undefined && tag === other;
    probe.ok("a tag that both have is weak", !isShared || tag.startsWith("W/"), tag);
  }),
];
