/** Who may go on, by the `Authorization` header. Spec: auth.md (AUTH). */
import { createHmac } from "node:crypto";
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

/** A challenge: its scheme in small letters, and its parameters by their names in small letters. */
interface Challenge {
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const parameter = /(?:^|,)\s*(?:([\w-]+)\s+)?([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*/g;

/** The challenges of a response (RFC 9110 §11.6.1); one of the scheme `malformed` where something else stands among them. */
function challengesOf(response: HttpResponse): readonly Challenge[] {
  const field = response.header("www-authenticate") ?? "";
  if (field.replaceAll(parameter, "") !== "") return [{ scheme: "malformed", parameters: { field } }];
  const found: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, scheme, name = "", quoted, token = ""] of field.matchAll(parameter)) {
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const last = found.at(-1);
    if (last) last.parameters[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, "$1") ?? token;
  }
  return found;
}

/** Asks at a door with these credentials, without any where there are none. */
function ask(probe: Probe, door: string, authorization?: string, method = "GET"): Promise<HttpResponse> {
  return probe.send(method, `/private/${door}`, { headers: authorization === undefined ? {} : { authorization } });
}

/** Who was let in; the status where nobody was. */
async function whoIs(probe: Probe, door: string, authorization?: string): Promise<string | number> {
  const response = await ask(probe, door, authorization);
  return response.status === 200 ? probe.json(SubjectId, response).id : response.status;
}

/** The status, and of each challenge the scheme, the realm and the error. */
async function rejection(probe: Probe, door: string, authorization?: string): Promise<readonly unknown[]> {
  const response = await ask(probe, door, authorization);
  const challenges = challengesOf(response).map(({ scheme, parameters: { realm, error } }) => [scheme, realm, error]);
  return [response.status, ...challenges.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))];
}

const basic = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString("base64")}`;
const ofAda = basic("ada:the secret of ada");
const ofZoe = basic("Zoë:pa:ss wörd");
const basicRealm = ["basic", "subject", undefined];
const bearerRealm = ["bearer", "subject", undefined];

const secret = "the secret that signs the tokens of the subject";
const seconds = (): number => Math.floor(Date.now() / 1_000);
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What a token says beside what every sound one does, and how it is signed. */
interface Jwt {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly key?: string;
}

function jwt({ claims = {}, alg = "HS256", key = secret }: Jwt = {}): string {
  const sound = { iss: "https://issuer.example", aud: "subject", sub: "ada", exp: seconds() + 600 };
  const signed = `${encoded({ alg, typ: "JWT" })}.${encoded({ ...sound, ...claims })}`;
  const hash = alg.replace("HS", "sha");
  return `${signed}.${alg === "none" ? "" : createHmac(hash, key).update(signed).digest("base64url")}`;
}

/** The cases of this chapter. */
export const auth = [
  proves("AUTH-001", "rejects requests without credentials, and with wrong ones, by a challenge", async (probe) => {
    const wrong = { basic: basic("ada:another secret"), bearer: "Bearer token-of-nobody" };
    for (const door of ["basic", "bearer"] as const)
      for (const authorization of [undefined, wrong[door], "Digest username=ada"]) {
        const response = await ask(probe, door, authorization);
        const challenges = challengesOf(response).map(({ scheme, parameters: { realm, charset } }) => [
          scheme,
          realm,
          charset?.toLowerCase(),
        ]);
        const expected = [door, "subject", door === "basic" ? "utf-8" : undefined];
        probe.equal(`status and challenges of ${door}`, [response.status, challenges], [401, [expected]]);
      }
    const unknown = [basic("nobody:the secret of ada"), basic("ada:"), basic(":the secret of ada"), basic("Ada:x")];
    for (const one of unknown) probe.equal("who that is", await whoIs(probe, "basic", one), 401);
  }),

  proves("AUTH-002", "gives the challenge of a request without credentials no error code", async (probe) => {
    probe.equal("status and challenges", await rejection(probe, "bearer"), [401, bearerRealm]);
    const posted = challengesOf(await ask(probe, "bearer", undefined, "POST"));
    probe.equal(
      "schemes, realms and error codes of a POST",
      posted.map(({ scheme, parameters: { realm, error } }) => [scheme, realm, error]),
      [bearerRealm],
    );
  }),

  proves("AUTH-003", "says that a token that nobody has is invalid", async (probe) => {
    const response = await ask(probe, "bearer", `Bearer ${probe.token()}`);
    const [challenge] = challengesOf(response);
    const { error, error_description: description = "" } = challenge?.parameters ?? {};
    const seen = [response.status, challenge?.scheme, error, description !== ""];
    probe.equal("status, scheme, error, and whether it is described", seen, [401, "bearer", "invalid_token", true]);
  }),

  proves(
    "AUTH-004",
    "reads Basic credentials as UTF-8, up to the first colon, the scheme in any case",
    async (probe) => {
      const spelt = (scheme: string): string => ofAda.replace("Basic", scheme);
      const seen: unknown[] = [];
      for (const one of [ofAda, ofZoe, spelt("basic"), spelt("BASIC")]) seen.push(await whoIs(probe, "basic", one));
      probe.equal("who that is", seen, ["ada", "Zoë", "ada", "ada"]);
      const latin1 = basic(Buffer.from("Zoë:pa:ss wörd", "latin1"));
      probe.equal("who that is in another encoding", await whoIs(probe, "basic", latin1), 401);
      const bearers = [
        await whoIs(probe, "bearer", "bearer token-of-ada"),
        await whoIs(probe, "bearer", "BEARER token-of-bob"),
      ];
      probe.equal("who that is by tokens", bearers, ["ada", "bob"]);
    },
  ),

  proves("AUTH-005", "rejects what is no Basic credentials", async (probe) => {
    const wrong = [
      "Basic",
      "Basic !!!",
      `${ofAda}!`,
      basic(Buffer.from([0x61, 0x3a, 0xff])),
      basic("ada"),
      basic("ada:the secret of ada\n"),
      basic("ada\u0000:the secret of ada"),
    ];
    for (const one of wrong)
      probe.equal(`status and challenges of ${one}`, await rejection(probe, "basic", one), [401, basicRealm]);
    probe.equal("who that is otherwise", await whoIs(probe, "basic", ofAda), "ada");
  }),

  proves("AUTH-006", "responds 400 to what is no bearer token, and to several", async (probe) => {
    const invalid = ["bearer", "subject", "invalid_request"];
    for (const one of ["Bearer", "Bearer a b", "Bearer token-of-ada, Bearer token-of-bob", "Bearer tok@n", "Bearer =a"])
      probe.equal(`status and challenges of ${one}`, await rejection(probe, "bearer", one), [400, invalid]);
    probe.equal("who that is otherwise", await whoIs(probe, "bearer", "Bearer token-of-ada"), "ada");
  }),

  proves("AUTH-007", "takes no token from the URL or a form", async (probe) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = "access_token=token-of-ada";
    const responses = [
      await probe.send("GET", "/private/bearer?access_token=token-of-ada"),
      await probe.send("POST", "/private/bearer", { headers, body }),
      await probe.send("POST", "/private/bearer", {
        headers: { ...headers, authorization: "Bearer token-of-ada" },
        body,
      }),
    ];
    probe.equal(
      "the statuses, the last one of a token in the header",
      responses.map(({ status }) => status),
      [401, 401, 200],
    );
  }),

  proves("AUTH-008", "lets go on without credentials where they are optional", async (probe) => {
    const seen: unknown[] = [];
    for (const one of [undefined, ofAda, "Bearer token-of-bob"]) seen.push(await whoIs(probe, "optional", one));
    probe.equal("who that is", seen, ["nobody", "nobody", "bob"]);
  }),

  proves("AUTH-021", "lets nobody go on with wrong credentials where they are optional", async (probe) => {
    probe.equal("who that is", await whoIs(probe, "optional", "Bearer token-of-nobody"), 401);
  }),

  proves("AUTH-022", "lists the challenge of each scheme behind several", async (probe) => {
    const both = [401, basicRealm, bearerRealm];
    probe.equal("status and challenges", await rejection(probe, "either"), both);
    const seen: unknown[] = [];
    for (const one of [ofAda, "Bearer token-of-bob", "Bearer token-of-nobody", basic("ada:x")])
      seen.push(await whoIs(probe, "either", one));
    probe.equal("who that is", seen, ["ada", "bob", 401, 401]);
  }),

  proves("AUTH-009", "lets those go on who have one of the roles, and all of the scopes", async (probe) => {
    const seen: unknown[] = [];
    for (const door of ["role", "scope"])
      for (const one of ["Bearer token-of-ada", "Bearer token-of-bob", ofZoe]) seen.push(await whoIs(probe, door, one));
    probe.equal("who that is", seen, ["ada", 403, 403, "ada", 403, 403]);
    const challenges = challengesOf(await ask(probe, "scope", "Bearer token-of-bob"));
    const errors = challenges.map(({ scheme, parameters }) => [scheme, parameters["error"]]);
    probe.equal("schemes and errors", errors, [["bearer", "insufficient_scope"]]);
  }),

  proves(
    "AUTH-010",
    "responds 401 with the challenges of the middlewares before where nobody is known",
    async (probe) => {
      for (const door of ["role", "scope"])
        probe.equal(`status and challenges of ${door}`, await rejection(probe, door), [401, basicRealm, bearerRealm]);
    },
  ),

  proves("AUTH-013", "takes a JWT that is signed, in time, by the issuer and for the audience", async (probe) => {
    const now = seconds();
    const sub = probe.token();
    const sound = [
      {},
      { sub },
      { aud: ["another", "subject"] },
      { exp: now - 20 },
      { nbf: now - 600 },
      { nbf: now + 20 },
    ];
    const seen: unknown[] = [];
    for (const claims of sound) seen.push(await whoIs(probe, "jwt", `Bearer ${jwt({ claims })}`));
    probe.equal("who that is", seen, ["ada", sub, "ada", "ada", "ada", "ada"]);
  }),

  proves("AUTH-014", "rejects a JWT of which one of these does not hold", async (probe) => {
    const now = seconds();
    const whole = jwt();
    const [head = "", claims = "", signature = ""] = whole.split(".");
    const other = encoded({ iss: "https://issuer.example", aud: "subject", sub: "eve", exp: now + 600 });
    const wrong: Readonly<Record<string, string>> = {
      "of another issuer": jwt({ claims: { iss: "https://other.example" } }),
      "of no issuer": jwt({ claims: { iss: undefined } }),
      "for another audience": jwt({ claims: { aud: "another" } }),
      "for no audience": jwt({ claims: { aud: undefined } }),
      "that is over": jwt({ claims: { exp: now - 300 } }),
      "that has not begun": jwt({ claims: { nbf: now + 300 } }),
      "without an end": jwt({ claims: { exp: undefined } }),
      "without its last letters": whole.slice(0, -4),
      "without its signature": `${head}.${claims}.`,
      "of two parts": `${head}.${claims}`,
      "with other claims": `${head}.${other}.${signature}`,
      "of no algorithm": jwt({ alg: "none" }),
      "of an algorithm that is not on the list": jwt({ alg: "HS512" }),
      "of another secret": jwt({ key: `${secret}!` }),
    };
    for (const [what, token] of Object.entries(wrong))
      probe.equal(`who a token ${what} is`, await whoIs(probe, "jwt", `Bearer ${token}`), 401);
    probe.equal("who the whole one is", await whoIs(probe, "jwt", `Bearer ${whole}`), "ada");
  }),

  proves("AUTH-017", "responds 503 to a token whose keys cannot be fetched", async (probe) => {
    const signed = `${encoded({ alg: "RS256", kid: "one" })}.${jwt().split(".")[1] ?? ""}`;
    const token = `Bearer ${signed}.${Buffer.alloc(256, 1).toString("base64url")}`;
    const statuses = [await whoIs(probe, "unreachable", token), await whoIs(probe, "unreachable")];
    probe.equal("the statuses with a token and without one", statuses, [503, 401]);
  }),
];
