/**
 * The routes of the subject with versions.
 *
 * Spec: spec/subject.md
 */
import { apiVersions, type Group } from "framework";

/** Adds the routes below `/versions`. */
export function addVersions(api: Group): void {
  const byHeader = apiVersions({ header: "API-Version", default: "1" });
  const byType = apiVersions({ mediaType: "application/vnd.subject.v*+json", default: "1" });
  for (const id of ["1", "2"])
    api.get("/header", { version: byHeader(id) }, () => ({ id })).get("/type", { version: byType(id) }, () => ({ id }));
}
