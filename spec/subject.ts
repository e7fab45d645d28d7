/**
 * Shapes of spec/subject.md: the responses of the app that the conformance suite tests.
 *
 * They belong to the suite's own contract, not to a chapter. So spec/subject.md must use them, and no clause does.
 */
import { Type } from "typebox";
import { recordOf } from "./forms.ts";
import { AccessLogLine } from "./log.ts";
import { MetricsSnapshot } from "./metrics.ts";
import { ServerSpan } from "./tracing.ts";
import { within } from "./within.ts";

/** The optional features of a subject. A requirement names the ones that it needs. */
export const featureNames = [
  "devtools",
  "otlp",
  "leaves",
  "history",
  "replay",
  "jobs",
  "panels",
  "annotations",
  "tracing",
  "metrics",
  "access-log",
  "request-id",
  "cors",
  "conditional",
  "compression",
  "contracts",
  "versions",
  "bodies",
  "rate-limit",
  "idempotency",
  "webhooks",
  "cache",
  "static",
  "security-headers",
  "cross-origin",
  "overload",
  "health-controls",
  "parser",
  "limits",
  "timeouts",
  "drain",
  "disconnects",
  "remote-address",
  "raw-path",
  "h2",
  "websocket",
  "multipart",
  "session",
  "auth",
  "work",
  "tools",
] as const;

/** The configurations in which a subject can be started. */
export const profileNames = ["default", "cors-query", "production", "no-request-id"] as const;

/** The settings for the behavior of a health check. */
export const checkModes = ["up", "down", "throw", "reject", "hang"] as const;

const text = Type.String();
const name = Type.String({ minLength: 1 });

/** `GET /__subject/about` */
export const SubjectAbout = Type.Object(
  {
    implementation: name,
    version: name,
    engine: name,
    profile: Type.Enum([...profileNames]),
    features: Type.Array(Type.Enum([...featureNames]), { uniqueItems: true }),
  },
  { $id: "SubjectAbout" },
);

/** `GET /__subject/evidence` */
export const SubjectEvidence = Type.Object(
  { logs: Type.Array(within(AccessLogLine)), spans: Type.Array(within(ServerSpan)), metrics: within(MetricsSnapshot) },
  { $id: "SubjectEvidence" },
);

/** The body of `PUT /__subject/checks/{name}` */
export const SubjectCheckMode = Type.Enum([...checkModes], { $id: "SubjectCheckMode" });

/** `GET /users/{id}`, and the response of `POST /orders` */
export const SubjectId = Type.Object({ id: text }, { $id: "SubjectId" });

/** `GET /work/{mark}`: what the job of that mark got, and how often it was done. */
export const SubjectJob = Type.Object(
  {
    mark: text,
    requestId: text,
    /** Of the trace that it continues. */
    traceId: text,
    times: Type.Integer({ minimum: 1 }),
  },
  { $id: "SubjectJob" },
);

/** `GET /users/{id}/posts/{postId}` */
export const SubjectPost = Type.Object({ id: text, postId: text }, { $id: "SubjectPost" });

/** `GET /files/*path` */
export const SubjectFile = Type.Object({ path: text }, { $id: "SubjectFile" });

/** `GET /match/…`: the pattern that was matched. */
export const SubjectMatch = Type.Object(
  { matched: Type.Enum(["/match/a/x", "/match/c/y", "/match/{name}/y", "/match/*rest"]) },
  { $id: "SubjectMatch" },
);

/** The body of `POST /orders`. Other members are ignored. */
export const SubjectNewOrder = Type.Object(
  { item: name, total: Type.Number({ minimum: 0 }) },
  { $id: "SubjectNewOrder" },
);

/** `GET /orders/{id}` */
export const SubjectOrder = Type.Object(
  { id: name, item: name, total: Type.Number({ minimum: 0 }) },
  { $id: "SubjectOrder" },
);

/** `GET /search` */
export const SubjectMethod = Type.Object({ method: Type.Literal("GET") }, { $id: "SubjectMethod" });

/** `QUERY /search` */
export const SubjectSearch = Type.Object(
  { method: Type.Literal("QUERY"), contentType: name, body: Type.Unknown(), query: recordOf(Type.Array(text)) },
  { $id: "SubjectSearch" },
);

/** `QUERY /lookup` */
export const SubjectLookup = Type.Object(
  { method: Type.Literal("QUERY"), contentType: name, text },
  { $id: "SubjectLookup" },
);

/** `POST /lines/{order}`: what its handler received. */
export const SubjectLine = Type.Object(
  {
    order: Type.Integer({ minimum: 1 }),
    notify: Type.Boolean(),
    tags: Type.Array(text),
    tenant: text,
    session: Type.Union([text, Type.Null()]),
    line: Type.Object({ sku: text, quantity: Type.Integer({ minimum: 1 }) }),
  },
  { $id: "SubjectLine" },
);

/** `POST /forms` */
export const SubjectForm = Type.Object({ name: text, tags: Type.Array(text) }, { $id: "SubjectForm" });

/** A file of a form: `rawFilename` is empty if none was sent, `sha256` has lower-case hexadecimal digits. */
const file = Type.Object({
  filename: name,
  rawFilename: text,
  mediaType: name,
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
});

/** `POST /uploads`: the parts in order, a field with its `text`, a file with its `file`. */
export const SubjectUpload = Type.Object(
  { parts: Type.Array(Type.Object({ name: text, text: Type.Optional(text), file: Type.Optional(file) })) },
  { $id: "SubjectUpload" },
);

/** `POST /uploads/form` */
export const SubjectUploadForm = Type.Object(
  { title: text, copies: Type.Integer({ minimum: 1 }), tags: Type.Array(text), picture: file },
  { $id: "SubjectUploadForm" },
);

/** `POST /uploads/skipped`: the names of the parts, and the error code from reading each file. */
export const SubjectSkipped = Type.Object(
  { names: Type.Array(text), codes: Type.Array(text) },
  { $id: "SubjectSkipped" },
);

/** `/sessions/{kind}`: the session's values of `name` and `items`. */
export const SubjectSession = Type.Object(
  { name: Type.Union([text, Type.Null()]), items: Type.Array(text) },
  { $id: "SubjectSession" },
);

/** `GET /cookies`: the request's cookies by name. */
export const SubjectCookies = Type.Unsafe<Record<string, string>>({ ...recordOf(text), $id: "SubjectCookies" });

/** `GET /parallel`: the results, in the order of the request. */
export const SubjectParallel = Type.Array(text, { $id: "SubjectParallel", minItems: 3, maxItems: 3 });

/** `GET /slow/{ms}` */
export const SubjectSlow = Type.Object({ ms: Type.Integer({ minimum: 0 }) }, { $id: "SubjectSlow" });

/** The data of an event of `GET /events/{n}` */
export const SubjectEvent = Type.Object({ n: Type.Integer({ minimum: 1 }) }, { $id: "SubjectEvent" });
