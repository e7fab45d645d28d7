/**
 * The clauses that tests outside of the cases prove: their titles begin with the ids.
 *
 *   it("DASH-025: a link leads to a route", …)
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The result of the tests titled with an id. */
export interface Titled {
  readonly passed: number;
  readonly failed: number;
}

/** Id → the result of its tests, from the reports of `make test` and `make e2e`. */
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
    // An interrupted run leaves an empty report, which proves nothing and hides nothing.
    return text === "" ? [] : [JSON.parse(text) as Report];
  });
}
