/** The page over HTTP: it is one document, with caching and compression. Spec: devtools.md (DEV). */
import { proves } from "../kit/case.ts";
import { hashSources, loads } from "../kit/content-policy.ts";
import { asHtml, page } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";

async function pageWith(probe: Probe, headers: Readonly<Record<string, string>> = {}) {
  return probe.send("GET", page, { headers });
}

/** The cases of this chapter that are not vectors. */
export const devtoolsPage = [
  proves("DEV-001", "serves one HTML page that loads nothing else", async (probe) => {
    const response = await pageWith(probe, asHtml);
    const type = response.type;
    const scripts = hashSources(response.text, "script").length > 0;
    const seen = { status: response.status, type, scripts, loads: loads(response.text) };
    probe.equal("the page", seen, { status: 200, type: "text/html", scripts: true, loads: [] });
  }),
];
