/** Versions of a route, as data. Spec: versions.md (VERSION). */
import { shows, step, type Expectation, type Step } from "./vector.ts";

const type = (version: string): string => `application/vnd.subject.v${version}+json`;
const got = (version: string): Expectation => ({ status: 200, body: { at: { "/id": { is: version } } } });
const unknown = (status: number): Expectation => ({
  status,
  headers: { "content-type": { mediaType: "application/problem+json" } },
  body: { at: { "/status": { is: status }, "/code": { is: "version_unknown" } } },
});
const byHeader = (version: string | undefined, expect: Expectation): Step =>
  step("GET", "/versions/header", expect, { headers: version === undefined ? {} : { "api-version": version } });
const byType = (accept: string, expect: Expectation): Step =>
  step("GET", "/versions/type", expect, { headers: { accept } });

/** The vectors of this chapter. */
export const versions = [
  shows("VERSION-001", "a header or a media type leads to its version, the most wanted one first", [
    byHeader("1", got("1")),
    byHeader("2", got("2")),
    byType(type("1"), got("1")),
    byType(type("2"), got("2")),
    byType(`${type("1")};q=0.4, ${type("2")};q=0.8`, got("2")),
    byType(`${type("9")}, ${type("2")};q=0.1`, got("2")),
  ]),
  shows("VERSION-002", "a request without a version has the first", [
    byHeader(undefined, got("1")),
    byType("application/json", got("1")),
    byType("*/*", got("1")),
  ]),
  shows(
    "VERSION-003",
    "another version in the header is a problem of 400",
    ["3", "1, 2", "01", "__proto__"].map((version) => byHeader(version, unknown(400))),
  ),
  shows(
    "VERSION-004",
    "another version in the media type is a problem of 406",
    [type("3"), `${type("3")}, ${type("4")};q=0.5`].map((accept) => byType(accept, unknown(406))),
  ),
  shows("VERSION-005", "each response varies by what decides", [
    byHeader("2", { headers: { vary: { names: "API-Version" } } }),
    byHeader(undefined, { headers: { vary: { names: "API-Version" } } }),
    byHeader("3", { headers: { vary: { names: "API-Version" } } }),
    byType(type("2"), { headers: { vary: { names: "Accept" } } }),
    byType(type("3"), { headers: { vary: { names: "Accept" } } }),
  ]),
  shows("VERSION-006", "a response says its version", [
    byHeader("2", { headers: { "api-version": { is: "2" } } }),
    byHeader(undefined, { headers: { "api-version": { is: "1" } } }),
    byType(type("2"), { headers: { "content-type": { mediaType: type("2") } } }),
  ]),
];
