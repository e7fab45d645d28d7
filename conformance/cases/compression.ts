/** Compression: what of a response is coded, for whom. Spec: compression.md (COMP). */
import { gunzipSync } from "node:zlib";
import { proves } from "../kit/case.ts";
import { Violation } from "../kit/violation.ts";

const accepting = (coding: string): { readonly headers: { readonly "accept-encoding": string } } => ({
  headers: { "accept-encoding": coding },
});

function unzipped(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString();
  } catch (error) {
    throw new Violation(`the body is not gzip: ${String(error)}`);
  }
}

/** The cases of this chapter. */
export const compression = [
  proves("COMP-001", "sends a large text in gzip to who takes that", async (probe) => {
    const response = await probe.send("GET", "/cached/2000", accepting("gzip"));
    probe.equal(
      "Content-Encoding, and whether it is shorter",
      [response.header("content-encoding")?.toLowerCase(), response.bytes.length < 2_000],
      ["gzip", true],
    );
  }),

  proves("COMP-021", "sends in a coding what was recorded", async (probe) => {
    const { bytes } = await probe.send("GET", "/cached/2500", accepting("gzip"));
    probe.equal("the text", unzipped(bytes), "x".repeat(2_500));
  }),

  proves("COMP-002", "says that the response depends on Accept-Encoding, compressed or not", async (probe) => {
    const seen = [];
    for (const coding of ["gzip", "identity"]) {
      const response = await probe.send("GET", "/cached/3000", accepting(coding));
      seen.push(response.list("vary").map((name) => name.toLowerCase()));
    }
    const known = await probe.send("GET", "/cached/3000", { headers: { "if-none-match": "*" } });
    seen.push(known.list("vary").map((name) => name.toLowerCase()));
    seen.push((await probe.send("GET", "/cached/3000")).list("vary").map((name) => name.toLowerCase()));
    probe.equal(
      "whether Vary has it",
      seen.map((vary) => vary.includes("accept-encoding")),
      [true, true, true, true],
    );
  }),

  proves("COMP-003", "sends a response without a coding to who takes none", async (probe) => {
    const seen = [];
    for (const coding of ["identity", "gzip;q=0, br;q=0, zstd;q=0", "unknown", ""]) {
      const response = await probe.send("GET", "/cached/4000", accepting(coding));
      seen.push([response.header("content-encoding"), response.bytes.length]);
    }
    const plain = seen.map(() => [undefined, 4_000]);
    probe.equal("Content-Encoding and length", seen, plain);
  }),
];
