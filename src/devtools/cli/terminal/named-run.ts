/**
 * Named run: finds the run that a person's argument names.
 *
 * `last` is the last request. A job may have ended since.
 *
 *   last │ 12 │ 7f3a.12 │ a request id ──▶ the run, or a sentence that says why there is none
 */
import { traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import type { DevtoolsClient } from "./client.ts";
import { TerminalError } from "./errors.ts";

/** The run of an id, which is `last`, a number, an instance with a number, or a request's own id. */
export async function runNamed(client: DevtoolsClient, id: string): Promise<Trace> {
  const key = id === "last" ? await newestKey(client, "is:request") : await keyOf(client, id);
  const trace = key === undefined ? undefined : await client.run(key);
  if (trace !== undefined) return trace;
  if (id === "last") throw new TerminalError("no request is kept yet: send one first");
  throw new TerminalError(`no run ${JSON.stringify(id)} is kept: it may have been dropped, runs lists those that are`);
}

async function keyOf(client: DevtoolsClient, id: string): Promise<string | undefined> {
  const { sessions } = await client.read("sessions");
  if (/^[1-9]\d{0,14}$/.test(id)) {
    const instance = sessions.find((one) => one.current)?.instance;
    return instance === undefined ? undefined : `${instance}.${id}`;
  }
  const [, beginning, sequence] = /^([A-Za-z0-9-]{1,64})\.([1-9]\d{0,14})$/.exec(id) ?? [];
  const meant = beginning === undefined ? [] : sessions.filter(({ instance }) => instance.startsWith(beginning));
  if (meant.length > 1)
    throw new TerminalError(`${JSON.stringify(id)} may be of ${meant.length} processes: write more of it`);
  if (meant[0] !== undefined) return `${meant[0].instance}.${sequence}`;
  return newestKey(client, `id=${JSON.stringify(id)}`);
}

async function newestKey(client: DevtoolsClient, query: string): Promise<string | undefined> {
  const [hit] = (await client.search(query, 1)).hits;
  return hit === undefined ? undefined : traceKey(hit);
}
