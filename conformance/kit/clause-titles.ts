/**
 * Which clauses the tests that are not cases prove: the ids at the beginning of their titles.
 *
 *   it("DASH-025: a link leads to a route", …)
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the tests titled with an id came to. */
export interface Titled {
  readonly passed: number;
  readonly failed: number;
}

/** Id → what became of the tests that name it, from the reports that `make test` and `make e2e` leave. */
export function titledResults(folder: string): ReadonlyMap<string, Titled> {
  const found = new Map<string, Titled>();
  for (const { id, ok } of reports(folder).flatMap((report) => report.clauses ?? [])) {
    const { passed, failed } = found.get(id) ?? { passed: 0, failed: 0 };
    found.set(id, ok ? { passed: passed + 1, failed } : { passed, failed: failed + 1 });
  }
  return found;
}

interface Report {
  readonly clauses?: readonly { readonly id: string; readonly ok: boolean }[];
}

function reports(folder: string): readonly Report[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    // A run that was ended before its time leaves an empty report: it proves nothing, and hides nothing.
    return text === "" ? [] : [JSON.parse(text) as Report];
  });
}
