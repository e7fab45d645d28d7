/** Requests that a page of another origin makes a browser send, as data. Spec: cross-origin.md (XORIGIN). */
import { traced } from "./traces.ts";
import { shows, step, type BodyExpectation, type Step } from "./vector.ts";

const path = "/protected/{{token}}";
const served: BodyExpectation = { json: { id: "{{token}}" } };
const evil = "https://evil.example";
const trusted = "https://app.example";

type Headers = Readonly<Record<string, string>>;

const allowed = (method: string, headers: Headers, target = path): Step =>
  step(method, target, { status: 200, body: served }, { headers: { ...headers } });
const rejected = (method: string, headers: Headers, target = path): Step =>
  step(method, target, { status: 403 }, { headers: { ...headers } });

/** The vectors of this chapter. */
export const crossOrigin = [
  shows("XORIGIN-001", "what a browser says to come from elsewhere is rejected", [
    allowed("POST", { "sec-fetch-site": "same-origin" }),
    allowed("POST", { "sec-fetch-site": "none" }),
    rejected("POST", { "sec-fetch-site": "cross-site" }),
    rejected("POST", { "sec-fetch-site": "same-site" }),
    rejected("POST", { "sec-fetch-site": "another" }),
  ]),
  shows("XORIGIN-002", "a page of another origin is rejected that an older browser shows", [
    rejected("POST", { origin: evil }),
    rejected("POST", { origin: "null" }),
    rejected("POST", { origin: `${trusted}.evil.example` }),
    allowed("POST", { origin: "{{origin}}" }),
  ]),
  shows("XORIGIN-003", "a program is served", [allowed("POST", {})]),
  shows("XORIGIN-004", "a trusted origin is served, and by its whole name alone", [
    allowed("POST", { origin: trusted }),
    allowed("POST", { origin: trusted, "sec-fetch-site": "cross-site" }),
    rejected("POST", { origin: `${trusted}:8443`, "sec-fetch-site": "cross-site" }),
    rejected("POST", { "sec-fetch-site": "cross-site" }),
  ]),
  shows("XORIGIN-005", "an exempt route is served", [
    allowed("POST", { origin: evil, "sec-fetch-site": "cross-site" }, `${path}/callback`),
    allowed("POST", { origin: "null" }, `${path}/callback`),
    rejected("POST", { origin: evil }),
  ]),
  shows("XORIGIN-006", "the error has a code", [
    step(
      "POST",
      path,
      { status: 403, body: { at: { "/code": { is: "CROSS_ORIGIN" } } } },
      { headers: { "sec-fetch-site": "cross-site" } },
    ),
    step(
      "POST",
      path,
      { status: 403, body: { at: { "/code": { is: "CROSS_ORIGIN" } } } },
      { headers: { origin: evil } },
    ),
  ]),
  shows("XORIGIN-007", "a safe request is served", [
    allowed("GET", { origin: evil, "sec-fetch-site": "cross-site" }),
    step("HEAD", path, { status: 200 }, { headers: { "sec-fetch-site": "cross-site" } }),
    step(
      "QUERY",
      path,
      { status: 200, body: served },
      { headers: { origin: evil, "sec-fetch-site": "cross-site", "content-type": "application/json" }, body: "{}" },
    ),
  ]),
  shows("XORIGIN-008", "a trace says where a request comes from, and what has allowed it", [
    ...traced(
      "POST",
      path,
      {
        "/annotations/[name=crossOrigin]/value/site": { is: "cross-site" },
        "/annotations/[name=crossOrigin]/value/origin": { is: trusted },
        "/annotations/[name=crossOrigin]/value/allowedBy": { is: "trustedOrigins" },
      },
      { mark: "trusted", content: { headers: { origin: trusted, "sec-fetch-site": "cross-site" } } },
    ),
    ...traced(
      "POST",
      `${path}/callback`,
      { "/annotations/[name=crossOrigin]/value/allowedBy": { is: "exempt" } },
      { mark: "exempt", content: { headers: { origin: evil } } },
    ),
    ...traced(
      "POST",
      path,
      {
        "/annotations/[name=crossOrigin]/value/origin": { is: evil },
        "/annotations/[name=crossOrigin]/value/allowedBy": { is: null },
      },
      { mark: "rejected", content: { headers: { origin: evil } } },
    ),
  ]),
];
