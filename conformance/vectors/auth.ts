/** Who may go on, by the `Authorization` header, as data. Spec: auth.md (AUTH). */
import { createHmac } from "node:crypto";
import { holds, shows, step, type Expectation, type Step, type VectorContent } from "./vector.ts";

const credentials = (authorization?: string): VectorContent =>
  authorization === undefined ? {} : { headers: { authorization } };

/** Asks at a door with these credentials, without any where there are none. */
const ask = (door: string, expect: Expectation, authorization?: string, method = "GET"): Step =>
  step(method, `/private/${door}`, expect, credentials(authorization));

const letIn = (door: string, id: string, authorization?: string): Step =>
  ask(door, { status: 200, body: holds({ id }) }, authorization);

const rejected = (door: string, status: number, authorization?: string): Step => ask(door, { status }, authorization);

type Challenge = Readonly<Record<string, string | boolean>>;

const challenged = (...challenges: readonly Challenge[]): Expectation => ({
  status: 401,
  headers: { "www-authenticate": { challenges: challenges.map((one) => ({ ...one })) } },
});

const basicRealm: Challenge = { scheme: "basic", realm: "subject", error: false };
const bearerRealm: Challenge = { scheme: "bearer", realm: "subject", error: false };

const basic = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString("base64")}`;
const ofAda = basic("ada:the secret of ada");
const ofZoe = basic("Zoë:pa:ss wörd");
const invalid = { ...bearerRealm, error: "invalid_token" };

const secret = "the secret that signs the tokens of the subject";
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** The first second of 2100, and of 2001. */
const [far, long] = [4_102_444_800, 978_307_200];

/** What a token says beside what every sound one does, and how it is signed. */
interface Jwt {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly key?: string;
}

function jwt({ claims = {}, alg = "HS256", key = secret }: Jwt = {}): string {
  const sound = { iss: "https://issuer.example", aud: "subject", sub: "ada", exp: far };
  const signed = `${encoded({ alg, typ: "JWT" })}.${encoded({ ...sound, ...claims })}`;
  const hash = alg.replace("HS", "sha");
  return `${signed}.${alg === "none" ? "" : createHmac(hash, key).update(signed).digest("base64url")}`;
}

const whole = jwt();
const [head = "", claims = "", signature = ""] = whole.split(".");
const other = encoded({ iss: "https://issuer.example", aud: "subject", sub: "eve", exp: far });
const unsound: readonly string[] = [
  jwt({ claims: { iss: "https://other.example" } }),
  jwt({ claims: { iss: undefined } }),
  jwt({ claims: { aud: "another" } }),
  jwt({ claims: { aud: undefined } }),
  jwt({ claims: { exp: long } }),
  jwt({ claims: { nbf: far } }),
  jwt({ claims: { exp: undefined } }),
  whole.slice(0, -4),
  `${head}.${claims}.`,
  `${head}.${claims}`,
  `${head}.${other}.${signature}`,
  jwt({ alg: "none" }),
  jwt({ alg: "HS512" }),
  jwt({ key: `${secret}!` }),
];

const form = { "content-type": "application/x-www-form-urlencoded" };
const inForm = { headers: form, body: "access_token=token-of-ada" };
const notBasic = [
  "Basic",
  "Basic !!!",
  `${ofAda}!`,
  basic(Buffer.from([0x61, 0x3a, 0xff])),
  basic("ada"),
  basic("ada:the secret of ada\n"),
  basic("ada\u0000:the secret of ada"),
];
const notBearer = ["Bearer", "Bearer a b", "Bearer token-of-ada, Bearer token-of-bob", "Bearer tok@n", "Bearer =a"];

/** The vectors of this chapter. */
export const auth = [
  shows("AUTH-001", "a request without credentials, and one with wrong ones, gets a challenge", [
    ...[undefined, basic("ada:another secret"), "Digest username=ada"].map((one) =>
      ask("basic", challenged({ scheme: "basic", realm: "subject", charset: "utf-8" }), one),
    ),
    ...[undefined, "Bearer token-of-nobody", "Digest username=ada"].map((one) =>
      ask("bearer", challenged({ scheme: "bearer", realm: "subject", charset: false }), one),
    ),
    ...["optional", "jwt"].map((door) => ask(door, challenged({ scheme: "bearer" }), "Bearer token-of-nobody", "POST")),
    ...["nobody:the secret of ada", "ada:", ":the secret of ada", "Ada:x"].map((one) =>
      rejected("basic", 401, basic(one)),
    ),
  ]),
  shows("AUTH-023", "a 401 has a challenge, that of Basic a realm", [
    ask("basic", { status: 401, headers: { "www-authenticate": { challenges: [{ scheme: "basic", realm: true }] } } }),
    ask("bearer", { status: 401, headers: { "www-authenticate": { challenges: [{ scheme: "bearer" }] } } }),
  ]),
  shows("AUTH-002", "the challenge of a request without credentials has no error code", [
    ask("bearer", challenged(bearerRealm)),
    ask("bearer", challenged(bearerRealm), undefined, "POST"),
  ]),
  shows("AUTH-003", "a token that nobody has is invalid", [
    ask("bearer", challenged({ ...invalid, error_description: true }), "Bearer {{token}}"),
  ]),
  shows("AUTH-004", "Basic credentials are UTF-8, up to the first colon, the scheme in any case", [
    letIn("basic", "ada", ofAda),
    letIn("basic", "Zoë", ofZoe),
    letIn("basic", "ada", ofAda.replace("Basic", "basic")),
    letIn("basic", "ada", ofAda.replace("Basic", "BASIC")),
    rejected("basic", 401, basic(Buffer.from("Zoë:pa:ss wörd", "latin1"))),
    letIn("bearer", "ada", "bearer token-of-ada"),
    letIn("bearer", "bob", "BEARER token-of-bob"),
  ]),
  shows("AUTH-005", "what is no Basic credentials is rejected", [
    ...notBasic.map((one) => ask("basic", challenged(basicRealm), one)),
    letIn("basic", "ada", ofAda),
  ]),
  shows("AUTH-006", "what is no bearer token gets 400, and several do", [
    ...notBearer.map((one) =>
      ask("bearer", { ...challenged({ ...bearerRealm, error: "invalid_request" }), status: 400 }, one),
    ),
    letIn("bearer", "ada", "Bearer token-of-ada"),
  ]),
  shows("AUTH-007", "a token in the URL or in a form is none", [
    rejected("bearer?access_token=token-of-ada", 401),
    step("POST", "/private/bearer", { status: 401 }, inForm),
    step(
      "POST",
      "/private/bearer",
      { status: 200 },
      { ...inForm, headers: { ...form, authorization: "Bearer token-of-ada" } },
    ),
  ]),
  shows("AUTH-008", "a request without credentials goes on where they are optional", [
    letIn("optional", "nobody"),
    letIn("optional", "nobody", ofAda),
    letIn("optional", "bob", "Bearer token-of-bob"),
  ]),
  shows("AUTH-021", "a request with wrong credentials does not go on where they are optional", [
    rejected("optional", 401, "Bearer token-of-nobody"),
  ]),
  shows("AUTH-022", "behind several the challenge of each scheme is listed", [
    ask("either", challenged(basicRealm, bearerRealm)),
    letIn("either", "ada", ofAda),
    letIn("either", "bob", "Bearer token-of-bob"),
    rejected("either", 401, "Bearer token-of-nobody"),
    rejected("either", 401, basic("ada:x")),
  ]),
  shows("AUTH-009", "those go on who have one of the roles, and all of the scopes", [
    ...["role", "scope"].flatMap((door) => [
      letIn(door, "ada", "Bearer token-of-ada"),
      rejected(door, 403, "Bearer token-of-bob"),
      rejected(door, 403, ofZoe),
    ]),
    ask(
      "scope",
      { headers: { "www-authenticate": { challenges: [{ scheme: "bearer", error: "insufficient_scope" }] } } },
      "Bearer token-of-bob",
    ),
  ]),
  shows(
    "AUTH-010",
    "where nobody is known 401 has the challenges of the middlewares before",
    ["role", "scope"].map((door) => ask(door, challenged(basicRealm, bearerRealm))),
  ),
  shows(
    "AUTH-013",
    "a JWT that is signed, by the issuer and for the audience, is taken",
    [{}, { aud: ["another", "subject"] }, { nbf: long }, { sub: "bob" }].map((one) =>
      letIn("jwt", "sub" in one ? "bob" : "ada", `Bearer ${jwt({ claims: one })}`),
    ),
  ),
  shows("AUTH-014", "a JWT of which one of these does not hold is rejected", [
    ...unsound.map((token) => rejected("jwt", 401, `Bearer ${token}`)),
    letIn("jwt", "ada", `Bearer ${whole}`),
  ]),
  shows("AUTH-017", "a token whose keys cannot be fetched gets 503", [
    rejected(
      "unreachable",
      503,
      `Bearer ${encoded({ alg: "RS256", kid: "one" })}.${claims}.${Buffer.alloc(256, 1).toString("base64url")}`,
    ),
    rejected("unreachable", 401),
  ]),
];
