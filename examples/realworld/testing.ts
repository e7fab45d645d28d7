/**
 * Shared by Conduit's tests: a Conduit on a free port with its own clock, and responses as plain data. Each response is
 * compared with the OpenAPI document, and none may break its contract.
 *
 * Each test file opens one, with its own database in memory, since starting it takes most of the time.
 */
import assert from "node:assert/strict";
import { departuresFrom } from "../departures.ts";
import { type Conduit, createApp } from "./app.ts";
import { conduitDocument } from "./document.ts";

/** A response. */
export interface TestResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request as its user. */
export type Call = (method: string, path: string, body?: unknown) => Promise<TestResponse>;

/** A user with a function to send requests. */
export interface TestUser {
  readonly username: string;
  readonly email: string;
  readonly token: string;
  readonly call: Call;
}

/** A running Conduit and its users. */
export interface OpenConduit extends Conduit {
  /** The time of all events. A test may set another. */
  readonly clock: { time: Date; now(): Date };
  /** Access log lines and errors so far. */
  readonly lines: readonly string[];
  /** Sends a request without an account. */
  readonly call: Call;
  /** Sends requests with that `Authorization` header, or without one. */
  as(authorization: string | undefined): Call;
  /** Registers a user of that name: `<name>@conduit.example`, password `<name>-secret`. */
  user(username: string): Promise<TestUser>;
  /** Closes it. @throws AssertionError if the framework has warned of a response that breaks its contract. */
  close(): Promise<void>;
}

/** The time when a test begins. */
export const start: Date = new Date("2026-11-02T10:00:00Z");

/** Opens a Conduit: an empty one in memory, or the one in that folder. */
export async function openConduit(dataDir?: string): Promise<OpenConduit> {
  const lines: string[] = [];
  const warnings: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const clock = { time: start, now: () => clock.time };
  const jwtSecret = "a secret of at least 32 bytes, for tests";
  const conduit = await createApp({
    dataDir,
    jwtSecret,
    passwordCost: 16,
    clock,
    log,
    logger: { warn: (line) => void warnings.push(line), error: log },
  });
  await conduit.app.start(0);
  const as: OpenConduit["as"] = (authorization) => (method, path, body) =>
    send(`http://localhost:${conduit.app.port}`, { method, path: `/api${path}`, body, authorization });
  const user: OpenConduit["user"] = async (username) => {
    const email = `${username}@conduit.example`;
    const response = await as(undefined)("POST", "/users", {
      user: { username, email, password: `${username}-secret` },
    });
    const { token } = (response.body as { readonly user: { readonly token: string } }).user;
    return { username, email, token, call: as(`Token ${token}`) };
  };
  const close = async (): Promise<void> => {
    await conduit.app.stop({ graceMs: 0 });
    await conduit.beans.close();
    assert.deepEqual(
      warnings.filter((line) => !line.startsWith("devtools: ")),
      [],
    );
  };
  return { ...conduit, clock, lines, as, call: as(undefined), user, close };
}

/** An error response about one field. */
export const failed = (status: number, subject: string, ...reasons: readonly string[]): TestResponse => ({
  status,
  body: { errors: { [subject]: reasons } },
});

/** 401 without a token. */
export const anonymous: TestResponse = failed(401, "token", "is missing");

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

const departures = departuresFrom(conduitDocument());

/** @throws AssertionError if the response differs from the document. */
async function send(origin: string, { method, path, body, authorization }: Request): Promise<TestResponse> {
  const headers = new Headers();
  if (authorization !== undefined) headers.set("Authorization", authorization);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const content = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(origin + path, { method, headers, body: content });
  const text = await response.text();
  const sent = { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  const type = response.headers.get("content-type");
  assert.deepEqual(departures(method, path, { ...sent, type }), [], `${method} ${path} and its document`);
  return sent;
}
