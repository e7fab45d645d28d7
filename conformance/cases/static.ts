/** The file name of a download, given in two parameters. Spec: static.md (STATIC). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { Violation } from "../kit/violation.ts";

/** A download with that file name. */
const saved = (probe: Probe, name: string): Promise<HttpResponse> =>
  probe.send("GET", `/download?name=${encodeURIComponent(name)}`);

/** The parameters of a `Content-Disposition: attachment`. Throws a Violation if it is another type or a parameter repeats. */
function parametersOf(field = ""): ReadonlyMap<string, string> {
  const [whole = "", parameters = ""] =
    /^attachment((?:\s*;\s*[^\s=;"]+=(?:"(?:[^"\\]|\\.)*"|[^\s;"]*))*)\s*$/i.exec(field) ?? [];
  const pairs = [...parameters.matchAll(/;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g)].map(
    ([, name = "", quoted, plain = ""]) => [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain] as const,
  );
  const found = new Map(pairs);
  if (whole === "" || found.size !== pairs.length) throw new Violation(`no attachment of one name: ${field}`);
  return found;
}

/** The name that a client saves it under: `filename*` takes precedence over `filename`, RFC 6266 section 4.3. */
function nameOf(field: string | undefined): string | undefined {
  const parameters = parametersOf(field);
  const [, extended] =
    /^utf-8'[^']*'((?:[\w!#$&+.^`|~-]|%[0-9a-f]{2})+)$/i.exec(parameters.get("filename*") ?? "") ?? [];
  return extended === undefined ? parameters.get("filename") : decodeURIComponent(extended);
}

/** The cases of this chapter that are not vectors. */
export const staticFiles = [
  proves("STATIC-013", "sends downloads under their names", async (probe) => {
    const names = ["report.pdf", "two words.txt", "Übersicht 日本.pdf", 'say "hi".txt', 'a"; filename="evil.exe'];
    const seen: unknown[] = [];
    for (const name of names) {
      const download = await saved(probe, name);
      seen.push([download.status, nameOf(download.header("content-disposition")), download.text]);
    }
    probe.equal(
      "statuses, names and texts",
      seen,
      names.map((name) => [200, name, "saved"]),
    );
  }),

  proves("STATIC-021", "allows no name to leave the folder, or to begin another field", async (probe) => {
    const names = ["/etc/passwd", "../../up.txt", "..\\..\\boot.ini", "a\r\nX-Evil: 1.txt"];
    const seen: unknown[] = [];
    for (const name of names) {
      const download = await saved(probe, name);
      const field = download.header("content-disposition");
      const said = [nameOf(field) ?? "", parametersOf(field).get("filename") ?? ""];
      seen.push([said.some((one) => one === "" || /[/\\]|^\.\.?$/.test(one)), download.header("x-evil")]);
    }
    probe.equal(
      "whether it is no name or leads elsewhere, and the other field",
      seen,
      names.map(() => [false, undefined]),
    );
  }),
];
