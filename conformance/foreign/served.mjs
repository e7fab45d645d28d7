/**
 * Code that the foreign subjects share. It serves nothing itself. It implements only what the suite asks of any subject.
 *
 *   loaded(name)       a peer, from the folder where the bench has them (bench/peers)
 *   Subject            the controls under /__subject, the health checks, the orders
 *   serveSubject(…)    listens on PORT, and says so
 *
 * Each subject is its framework in its default setup, with its usual plugins and without workarounds. So the suite finds what
 * users of it get.
 *
 * Spec: spec/subject.md
 */
import { createRequire } from "node:module";

const require = createRequire(new URL("../../bench/peers/package.json", import.meta.url));

/** A package of bench/peers. @param {string} name */
export const loaded = (name) => require(name);

/** The version of a package of bench/peers. @param {string} name */
export function versionOf(name) {
  const { dependencies } = require("./package.json");
  return dependencies[name];
}

/** The error that a handler throws to respond with a status. */
export class Failure extends Error {
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.statusCode = status; // The name in Express and Fastify.
    this.headers = headers;
  }
}

/** State and controls of one subject. */
export class Subject {
  #checks = new Map([
    ["db", "up"],
    ["disk", "up"],
  ]);
  #orders = new Map();

  constructor(implementation, features) {
    this.profile = process.env.PROFILE || "default";
    this.implementation = implementation;
    this.features = features;
  }

  /** The response of `GET /__subject/about`. */
  about() {
    const { implementation, profile, features } = this;
    return { implementation, version: versionOf(implementation), engine: "node-http", profile, features };
  }

  evidence() {
    return { logs: [], spans: [], metrics: { since: 0, activeRequests: 0, routes: [] } };
  }

  /** The methods that CORS allows, if the profile names them. */
  get corsMethods() {
    return this.profile === "cors-query" ? ["GET", "QUERY"] : undefined;
  }

  get hasRequestId() {
    return this.profile !== "no-request-id";
  }

  /** Sets a check and returns the status of the response. */
  setCheck(name, mode) {
    if (!this.#checks.has(name)) return 404;
    if (!["up", "down", "throw", "reject", "hang"].includes(mode)) return 422;
    this.#checks.set(name, mode);
    return 204;
  }

  /** Status and body of a health path with these checks. A hanging check gets half a second. */
  async health(names) {
    const hangs = names.some((name) => this.#checks.get(name) === "hang");
    if (hangs) await new Promise((resolve) => setTimeout(resolve, 500));
    const checks = Object.fromEntries(names.map((name) => [name, this.#checks.get(name) === "up" ? "UP" : "DOWN"]));
    const isUp = !Object.values(checks).includes("DOWN");
    return { status: isUp ? 200 : 503, body: { status: isUp ? "UP" : "DOWN", checks } };
  }

  /** Keeps an order and returns its id. @throws Failure for an invalid order */
  place(order) {
    const { item, total } = Object(order);
    if (typeof item !== "string" || item === "" || typeof total !== "number" || total < 0)
      throw new Failure(422, "no such order can be made");
    const id = String(this.#orders.size + 1);
    this.#orders.set(id, { id, item, total });
    return { id };
  }

  order(id) {
    const found = this.#orders.get(id);
    if (found === undefined) throw new Failure(404, "no such order");
    return found;
  }
}

/** The health paths and the checks of each. */
export const healthPaths = { "/health": ["db", "disk"], "/health/live": ["disk"], "/health/ready": ["db"] };

/** A whole number from a path. @throws Failure out of range */
export function numberIn(text, min, max) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) throw new Failure(400, `${min} to ${max} is allowed`);
  return value;
}

/** The events of `GET /events/{n}`. */
export function* ticks(count) {
  for (let n = 1; n <= count; n += 1) yield `event: tick\nid: ${n}\ndata: ${JSON.stringify({ n })}\n\n`;
}

/** The query string as lists. @param {string} url */
export function lists(url) {
  const { searchParams } = new URL(url, "http://localhost");
  return Object.fromEntries([...searchParams.keys()].map((key) => [key, searchParams.getAll(key)]));
}

/** Prints its port, as every subject does. @param {number} port */
export const listening = (port) => process.stdout.write(`listening on http://127.0.0.1:${port}\n`);

/** The port to listen on. */
export const port = Number(process.env.PORT || "9300");
