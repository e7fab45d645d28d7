/** The page, by HTTP: one document, and how it is cached and packed. Spec: devtools.md (DEV). */
import { gunzipSync } from "node:zlib";
import { proves } from "../kit/case.ts";
import { hashSources, loads } from "../kit/content-policy.ts";
import { asHtml, page } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";

async function pageWith(probe: Probe, headers: Readonly<Record<string, string>> = {}) {
  return probe.send("GET", page, { headers });
}

function unpacked(bytes: Buffer): string | undefined {
  try {
    return gunzipSync(bytes).toString("utf8");
  } catch {
    return undefined;
  }
}

/** The cases of the page. */
export const devtoolsPage = [
  proves("DEV-001", "serves one HTML page that loads nothing else", async (probe) => {
    const response = await pageWith(probe, asHtml);
    const type = response.type;
    const scripts = hashSources(response.text, "script").length > 0;
    const seen = { status: response.status, type, scripts, loads: loads(response.text) };
    probe.equal("the page", seen, { status: 200, type: "text/html", scripts: true, loads: [] });
  }),

  proves("DEV-031", "responds with 304 to a client that has the page already", async (probe) => {
    const first = await pageWith(probe);
    const tag = first.header("etag") ?? "";
    const known = await pageWith(probe, { "if-none-match": tag });
    const other = await pageWith(probe, { "if-none-match": '"another"' });
    const seen = [known.status, known.text, known.header("etag"), other.status, other.text === first.text];
    probe.equal("the page that is known, and another", seen, [304, "", tag, 200, true]);
  }),

  proves("DEV-032", "packs the page for a client that takes it packed, for no other", async (probe) => {
    const plain = await pageWith(probe);
    const packed = await pageWith(probe, { "accept-encoding": "br;q=0.1, gzip" });
    const rejected = await pageWith(probe, { "accept-encoding": "gzip;q=0" });
    const seen = {
      encodings: [plain, packed, rejected].map(
        (response) => response.header("content-encoding")?.toLowerCase() ?? "none",
      ),
      same: [unpacked(packed.bytes) === plain.text, rejected.text === plain.text],
    };
    probe.equal("encodings, and whether it is the same page", seen, {
      encodings: ["none", "gzip", "none"],
      same: [true, true],
    });
  }),
];
