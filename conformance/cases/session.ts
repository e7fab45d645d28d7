/** Sessions. Spec: session.md (SESSION). */
import { SubjectSession } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

const cookieName = "__Host-session";
const nothing = { name: null, items: [] };

/** A cookie that a response sets: its value, and its attributes in lower case. */
interface SetCookie {
  readonly value: string;
  readonly attributes: readonly string[];
}

/** The session's cookie, or undefined if the response sets none. */
function setCookie(response: HttpResponse, name = cookieName): SetCookie | undefined {
  const line = response.all("set-cookie").find((one) => one.startsWith(`${name}=`));
  if (line === undefined) return undefined;
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  return { value: pair.slice(name.length + 1), attributes: attributes.map((one) => one.toLowerCase()) };
}

/** A client of one kind of session that keeps its cookie like a browser. */
class Client {
  readonly #probe: Probe;
  readonly #kind: string;
  #cookie: string | undefined;
  #sentAt: number | undefined;
  /** Was it ever idle so long that a session of `brief` may have expired? */
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

  /** Sends the request, which must succeed, and returns the session's values. */
  async does(method: string, path = ""): Promise<unknown> {
    const response = await this.send(method, path);
    this.#probe.equal("status", response.status, 200);
    const { name, items } = this.#probe.json(SubjectSession, response);
    return { name, items };
  }

  /** The session's values. */
  async holds(): Promise<unknown> {
    return this.does("GET");
  }
}

const isDeleted = ({ attributes }: SetCookie): boolean =>
  attributes.some((one) => one === "max-age=0" || one.startsWith("expires=thu, 01 jan 1970"));

/** The values of the session of that kind that the cookie belongs to. */
const heldBy = async (probe: Probe, kind: string, cookie: string): Promise<unknown> =>
  new Client(probe, kind, cookie).holds();

/** A client with a session that contains its name. */
async function known(probe: Probe, kind: string, name: string): Promise<Client> {
  const client = new Client(probe, kind);
  probe.equal("what was set", await client.does("POST", `/values/${name}`), { name, items: [] });
  probe.ok("a cookie was sent", client.cookie !== "");
  return client;
}

/** Repeats the case if it may have failed only because a busy machine let a session expire. */
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

/** The cases of this chapter that are not vectors. */
export const session = [
  proves("SESSION-007", "ignores an altered sealed session, and reveals nothing of it", async (probe) => {
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

  proves(
    "SESSION-009",
    "ends an unused session, but not a used one",
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
    "ends a used session after its maximum age, unless it was renewed",
    unpaused(async (probe, clients) => {
      const name = probe.token();
      // This is the older session. Without the renewal it would expire no later than the used one.
      const renewed = await known(probe, "brief", name);
      const used = await known(probe, "brief", name);
      const first = used.cookie;
      clients.push(used, renewed);
      let isRenewed = false;
      await probe.eventually("the end of the session that is used", async () => {
        const held = (await used.holds()) as { readonly name: unknown };
        await renewed.holds();
        // Halfway, an unused session has expired.
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

  proves("SESSION-016", "keeps a session ended if an earlier request ends after it", async (probe) => {
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
];
