/** What is remembered of a client. Spec: session.md (SESSION). */
import { SubjectId, SubjectSession } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { traced } from "../kit/traces.ts";

const cookieName = "__Host-session";
const nothing = { name: null, items: [] };
const letters = "A".repeat(43);
/** Cookies that no app has sent. */
const madeUp = ["x", "1.", letters, `${letters}.0`, `1.${letters}`, `1.${"A".repeat(200)}`];
/** Requests of one client that each set the cookie, in this order. */
const writing = (name: string): Readonly<Record<string, string>> => ({
  "where it begins": `/values/${name}`,
  "where it changes": "/items/lamp",
  "where it is renewed": "/renewed",
  "where the request fails": `/values/${name}-2?fail=yes`,
  "where it ends": "/ended",
});

/** A cookie that a response sets: its value, and its attributes in small letters. */
interface SetCookie {
  readonly value: string;
  readonly attributes: readonly string[];
}

/** The session's cookie; undefined where the response sets none. */
function setCookie(response: HttpResponse, name = cookieName): SetCookie | undefined {
  const line = response.all("set-cookie").find((one) => one.startsWith(`${name}=`));
  if (line === undefined) return undefined;
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  return { value: pair.slice(name.length + 1), attributes: attributes.map((one) => one.toLowerCase()) };
}

/** One client of one kind of sessions, which keeps its cookie as a browser does. */
class Client {
  readonly #probe: Probe;
  readonly #kind: string;
  #cookie: string | undefined;
  #sentAt: number | undefined;
  /** Has it ever sent nothing for so long that a session of `brief` may be over? */
  hasPaused = false;

  constructor(probe: Probe, kind: string, cookie?: string) {
    this.#probe = probe;
    this.#kind = kind;
    this.#cookie = cookie;
  }

  /** The value of its cookie. */
  get cookie(): string {
    return this.#cookie ?? "";
  }

  async send(method: string, path = ""): Promise<HttpResponse> {
    const now = performance.now();
    const response = await this.#respond(method, path);
    this.hasPaused ||= performance.now() - (this.#sentAt ?? now) > 800;
    this.#sentAt = now;
    return response;
  }

  async #respond(method: string, path: string): Promise<HttpResponse> {
    const headers = this.#cookie === undefined ? {} : { cookie: `${cookieName}=${this.#cookie}` };
    const response = await this.#probe.send(method, `/sessions/${this.#kind}${path}`, { headers });
    const set = setCookie(response);
    if (set !== undefined) this.#cookie = isDeleted(set) ? undefined : set.value;
    return response;
  }

  /** Does it, which must succeed; what the session holds then. */
  async does(method: string, path = ""): Promise<unknown> {
    const response = await this.send(method, path);
    this.#probe.equal("status", response.status, 200);
    const { name, items } = this.#probe.json(SubjectSession, response);
    return { name, items };
  }

  /** What its session holds. */
  async holds(): Promise<unknown> {
    return this.does("GET");
  }
}

const isDeleted = ({ attributes }: SetCookie): boolean =>
  attributes.some((one) => one === "max-age=0" || one.startsWith("expires=thu, 01 jan 1970"));

/** What a session of that kind holds to which that cookie leads. */
const heldBy = async (probe: Probe, kind: string, cookie: string): Promise<unknown> =>
  new Client(probe, kind, cookie).holds();

/** A client with a session that holds its name. */
async function known(probe: Probe, kind: string, name: string): Promise<Client> {
  const client = new Client(probe, kind);
  probe.equal("what was set", await client.does("POST", `/values/${name}`), { name, items: [] });
  probe.ok("a cookie was sent", client.cookie !== "");
  return client;
}

/** Begins anew where what broke the promise may be a machine too busy to use a session in time. */
const unpaused =
  (run: (probe: Probe, clients: Client[]) => Promise<void>) =>
  async (probe: Probe): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const clients: Client[] = [];
      try {
        return await run(probe, clients);
      } catch (error) {
        if (attempt === 3 || !clients.some(({ hasPaused }) => hasPaused)) throw error;
      }
    }
  };

/** Both ways of keeping a session, which behave alike. */
const kinds = ["sealed", "kept"] as const;

/** The cases of this chapter. */
export const session = [
  proves("SESSION-001", "sends no cookie as long as nothing is set", async (probe) => {
    for (const kind of kinds)
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/unasked"],
        ["POST", "/ended"],
      ] as const) {
        const response = await new Client(probe, kind).send(method, path);
        const seen = [response.status, response.all("set-cookie").filter((line) => line.startsWith(cookieName))];
        probe.equal(`status and cookies of ${method} ${kind}${path}`, seen, [200, []]);
        if (path !== "/unasked") probe.equal("what it holds", probe.json(SubjectSession, response), nothing);
        else probe.equal("its id", probe.json(SubjectId, response).id, "unasked");
      }
  }),

  proves("SESSION-002", "holds what was set in the requests that follow, for that client alone", async (probe) => {
    for (const kind of kinds) {
      const name = probe.token();
      const client = await known(probe, kind, name);
      const other = await known(probe, kind, `${name}-other`);
      probe.equal("after an item", await client.does("POST", "/items/lamp"), { name, items: ["lamp"] });
      for (const time of ["first", "second"])
        probe.equal(`what it holds the ${time} time`, await client.holds(), { name, items: ["lamp"] });
      probe.equal("what the other one holds", await other.holds(), { name: `${name}-other`, items: [] });
      probe.equal("what one without a cookie holds", await new Client(probe, kind).holds(), nothing);
    }
  }),

  proves("SESSION-003", "writes nothing when nothing has changed", async (probe) => {
    for (const kind of kinds) {
      const name = probe.token();
      const client = await known(probe, kind, name);
      await client.does("POST", "/items/lamp");
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/unasked"],
        ["POST", `/values/${name}`],
      ] as const)
        probe.equal(`the cookie of ${method} ${path}`, setCookie(await client.send(method, path)), undefined);
    }
  }),

  proves("SESSION-032", "writes what has changed within", async (probe) => {
    for (const kind of kinds) {
      const name = probe.token();
      const client = await known(probe, kind, name);
      await client.does("POST", "/items/lamp");
      const before = client.cookie;
      probe.equal("after another item", await client.does("POST", "/items/desk"), { name, items: ["lamp", "desk"] });
      probe.equal("what it holds", await client.holds(), { name, items: ["lamp", "desk"] });
      if (kind === "sealed") probe.ok("the cookie is another one", client.cookie !== before);
    }
  }),

  proves("SESSION-004", "finds nothing for what a client has made up", async (probe) => {
    for (const kind of kinds)
      for (const made of madeUp) probe.equal(`what ${made} leads to`, await heldBy(probe, kind, made), nothing);
  }),

  proves("SESSION-033", "takes nothing over that a client has made up", async (probe) => {
    for (const kind of kinds)
      for (const made of madeUp) {
        const client = new Client(probe, kind, made);
        const name = probe.token();
        probe.equal("what was set", await client.does("POST", `/values/${name}`), { name, items: [] });
        probe.ok("the session has a cookie of its own", client.cookie !== "" && client.cookie !== made, client.cookie);
        probe.equal("what its cookie leads to", await client.holds(), { name, items: [] });
        probe.equal(`what ${made} leads to then`, await heldBy(probe, kind, made), nothing);
      }
  }),

  proves("SESSION-005", "gives a session a new identity with the same values", async (probe) => {
    for (const kind of kinds) {
      const name = probe.token();
      const client = await known(probe, kind, name);
      const planted = client.cookie;
      probe.equal("what it holds", await client.does("POST", "/renewed"), { name, items: [] });
      probe.ok("its cookie is another one", client.cookie !== planted && client.cookie !== "", client.cookie);
      // A store gives each identity an id of its own; only the time behind it would do for an update.
      const [id, before] = [client.cookie, planted].map((cookie) => cookie.split(".")[0]);
      if (kind === "kept") probe.ok("its id is another one", id !== before, id);
      probe.equal("what was set since", await client.does("POST", `/values/${name}-2`), {
        name: `${name}-2`,
        items: [],
      });
      if (kind === "kept") probe.equal("what the old cookie leads to", await heldBy(probe, kind, planted), nothing);
      probe.equal("what it holds then", await client.holds(), { name: `${name}-2`, items: [] });
    }
  }),

  proves("SESSION-006", "deletes the cookie of a session that ends, and the session in a store", async (probe) => {
    for (const kind of kinds) {
      const client = await known(probe, kind, probe.token());
      const before = client.cookie;
      const response = await client.send("POST", "/ended");
      const set = setCookie(response);
      probe.equal("status", response.status, 200);
      probe.equal("what is left", probe.json(SubjectSession, response), nothing);
      probe.equal("is the cookie deleted, for all paths", set && [isDeleted(set), set.attributes.includes("path=/")], [
        true,
        true,
      ]);
      if (kind === "kept") probe.equal("what the old cookie leads to", await heldBy(probe, kind, before), nothing);
    }
  }),

  proves("SESSION-007", "takes a sealed session for none in any other form, and shows nothing of it", async (probe) => {
    const name = probe.token();
    const { cookie } = await known(probe, "sealed", name);
    probe.equal("what the seal leads to", await heldBy(probe, "sealed", cookie), { name, items: [] });
    const other = (character: string): string => (character === "A" ? "B" : "A");
    const forged = Array.from({ length: 16 }, (_, part) => {
      const at = Math.floor((part * (cookie.length - 2)) / 15);
      return `${cookie.slice(0, at)}${other(cookie[at] ?? "")}${cookie.slice(at + 1)}`;
    });
    const cut = [cookie.slice(0, -1), cookie.slice(1), cookie.slice(0, cookie.length / 2), `${cookie}A`];
    for (const one of [...forged, ...cut, cookie.replace(/^1/, "2")])
      probe.equal(`what ${one} leads to`, await heldBy(probe, "sealed", one), nothing);
    const headers = { cookie: `__Host-other=${cookie}` };
    const named = await probe.send("GET", "/sessions/other", { headers });
    probe.equal("what it leads to under another name", probe.json(SubjectSession, named), nothing);
    const readable = [cookie, ...cookie.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"))];
    probe.equal(
      "whether its name can be read",
      readable.some((text) => text.includes(name)),
      false,
    );
  }),

  proves("SESSION-008", "opens what an older secret has sealed, and seals it anew by the first", async (probe) => {
    const name = probe.token();
    const { cookie } = await known(probe, "sealed", name);
    const client = new Client(probe, "rotated", cookie);
    probe.equal("what it holds", await client.holds(), { name, items: [] });
    probe.ok("it is sealed anew", client.cookie !== cookie, client.cookie);
    probe.equal("what it holds then", await client.holds(), { name, items: [] });
    probe.equal("the cookie, sealed by the first", setCookie(await client.send("GET")), undefined);
    const without = await heldBy(probe, "sealed", client.cookie);
    probe.equal("what the new seal is where that secret is not known", without, nothing);
  }),

  proves(
    "SESSION-009",
    "ends a session that is not used, and not one that is",
    unpaused(async (probe, clients) => {
      const name = probe.token();
      const client = await known(probe, "brief", name);
      clients.push(client);
      const unused = client.cookie;
      probe.equal("what it holds at once", await heldBy(probe, "brief", unused), { name, items: [] });
      const after = await probe.eventually("the end of the session that is not used", async () => {
        const used = await client.holds();
        const held = (await heldBy(probe, "brief", unused)) as { readonly name: unknown };
        return held.name === null ? used : undefined;
      });
      probe.equal("what the one that is used held last", after, { name, items: [] });
      probe.ok("its cookie was sent again", client.cookie !== unused);
    }),
  ),

  proves(
    "SESSION-010",
    "ends a session after its time however much it is used, unless it was renewed",
    unpaused(async (probe, clients) => {
      const name = probe.token();
      // The older of the two: were it not renewed, it would be over whenever the used one is.
      const renewed = await known(probe, "brief", name);
      const used = await known(probe, "brief", name);
      const first = used.cookie;
      clients.push(used, renewed);
      let isRenewed = false;
      await probe.eventually("the end of the session that is used", async () => {
        const held = (await used.holds()) as { readonly name: unknown };
        await renewed.holds();
        // Halfway: what was not used is over.
        if (!isRenewed && ((await heldBy(probe, "brief", first)) as { readonly name: unknown }).name === null) {
          probe.equal("what the used one holds then", await used.holds(), { name, items: [] });
          await renewed.does("POST", "/renewed");
          isRenewed = true;
        }
        return held.name === null ? true : undefined;
      });
      probe.equal("what the renewed one holds", await renewed.holds(), { name, items: [] });
    }),
  ),

  proves("SESSION-011", "saves a session before the head of an error response", async (probe) => {
    for (const kind of kinds) {
      const client = new Client(probe, kind);
      const name = probe.token();
      const response = await client.send("POST", `/values/${name}?fail=yes`);
      probe.equal("status", response.status, 409);
      probe.ok("a cookie was sent", client.cookie !== "");
      probe.equal("what it holds", await client.holds(), { name, items: [] });
    }
  }),

  proves("SESSION-012", "keeps responses that set the cookie out of caches", async (probe) => {
    for (const kind of kinds) {
      const [client, name] = [new Client(probe, kind), probe.token()];
      for (const [when, path] of Object.entries(writing(name))) {
        const response = await client.send("POST", path);
        probe.equal(`whether ${when} it is not stored`, response.set("cache-control").includes("no-store"), true);
      }
    }
  }),

  proves("SESSION-034", "keeps responses that read the session apart", async (probe) => {
    for (const kind of kinds) {
      const [client, name] = [new Client(probe, kind), probe.token()];
      const isFor = async (method: string, path = ""): Promise<boolean> =>
        (await client.send(method, path)).set("vary").includes("cookie");
      probe.equal("whether before there is one it varies", await isFor("GET"), true);
      for (const [when, path] of Object.entries(writing(name))) {
        probe.equal(`whether ${when} it varies`, await isFor("POST", path), true);
        probe.equal(`whether it varies when it is read then, ${when}`, await isFor("GET"), true);
      }
    }
  }),

  proves("SESSION-013", "rejects a session that its cookie cannot hold, and names the store", async (probe) => {
    const { response, trace } = await traced(probe, "POST", `/sessions/sealed/values/${"x".repeat(4_100)}`);
    probe.equal("status and cookie", [response.status, setCookie(response)], [500, undefined]);
    probe.ok("the error names the store", /store/i.test(trace.error?.message ?? ""), trace.error?.message);
  }),

  proves("SESSION-016", "leaves a session ended when a request that began before ends after it", async (probe) => {
    const name = probe.token();
    const client = await known(probe, "kept", name);
    const { cookie } = client;
    const slow = new Client(probe, "kept", cookie).send("POST", `/values/${name}-late?ms=500`);
    slow.catch(() => undefined);
    await probe.underWay();
    probe.equal("what is left", await client.does("POST", "/ended"), nothing);
    probe.equal("status of the slow one", (await slow).status, 200);
    probe.equal("what the cookie leads to", await heldBy(probe, "kept", cookie), nothing);
  }),

  proves(
    "SESSION-017",
    "responds 503 to requests that need a store that fails or is silent, and to no others",
    async (probe) => {
      const { cookie } = await known(probe, "kept", probe.token());
      for (const kind of ["failing", "silent"]) {
        const seen = [
          await new Client(probe, kind, cookie).send("GET"),
          await new Client(probe, kind).send("POST", `/values/${probe.token()}`),
          await new Client(probe, kind).send("GET"),
          await new Client(probe, kind).send("GET", "/unasked"),
        ].map((response) => [response.status, setCookie(response)]);
        const expected = [503, 503, 200, 200].map((status) => [status, undefined]);
        probe.equal(`statuses and cookies of ${kind}`, seen, expected);
      }
    },
  ),

  proves("SESSION-031", "says after how many seconds to try a store that fails again", async (probe) => {
    const { cookie } = await known(probe, "kept", probe.token());
    const seen = [
      await new Client(probe, "failing", cookie).send("GET"),
      await new Client(probe, "failing").send("POST", `/values/${probe.token()}`),
    ].map((response) => response.all("retry-after").map((seconds) => /^[1-9]\d*$/.test(seconds)));
    probe.equal("whether there is one number of seconds", seen, [[true], [true]]);
  }),

  proves("SESSION-018", "goes on without sessions where that is asked for, and ends and renews none", async (probe) => {
    const { cookie } = await known(probe, "kept", probe.token());
    const client = new Client(probe, "lenient", cookie);
    probe.equal("what it holds", await client.holds(), nothing);
    const put = await client.send("POST", `/values/${probe.token()}`);
    probe.equal("status and cookie of one that is set", [put.status, setCookie(put)], [200, undefined]);
    const statuses = [(await client.send("POST", "/ended")).status, (await client.send("POST", "/renewed")).status];
    probe.equal("statuses where it ends and is renewed", statuses, [503, 503]);
  }),

  proves(
    "SESSION-030",
    "tells whether there was a session, what has become of it, and what it holds",
    async (probe) => {
      const name = probe.token();
      const told = async (method: string, path: string, cookie = ""): Promise<unknown> => {
        const { trace, response } = await traced(probe, method, `/sessions/kept${path}`, {
          headers: cookie === "" ? {} : { cookie: `${cookieName}=${cookie}` },
        });
        const value = trace.annotations?.find((one) => one.name === "session")?.value;
        const { found, outcome, values } = (value ?? {}) as Readonly<Record<string, unknown>>;
        return { seen: [found, outcome, values], cookie: setCookie(response)?.value ?? cookie };
      };
      const begun = (await told("POST", `/values/${name}`)) as { readonly seen: unknown; readonly cookie: string };
      const later = (await told("GET", "", begun.cookie)) as { readonly seen: unknown };
      const ended = (await told("POST", "/ended", begun.cookie)) as { readonly seen: unknown };
      probe.equal("what was told where it began", begun.seen, [false, "created", { name }]);
      probe.equal("what was told where it was read", later.seen, [true, "none", { name }]);
      probe.equal("what was told where it ended", ended.seen, [true, "destroyed", {}]);
    },
  ),
];
