/**
 * The rows of `make faults`: a matrix of components and their failures, on every engine, one row per component.
 *
 *   cell ──▶ an app of its own ──▶ /plain, /fault, /plain at once and again
 *            the process stays up · /plain is served as ever · /fault as the table says · the app noticed
 */
import type { Framework } from "framework";
import { requestBytes } from "../frames.ts";
import type { Figure, Group } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { appFor } from "../subject/serve.ts";
import { Client, dial, type Wire } from "../wires.ts";
import { behaviours, components, put, type Behaviour, type Component } from "./components.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
async function until(isThere: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isThere(); i += 1) await pause(10);
}

/** The errors of a cell, or undefined if there is no such cell. */
type Cell = (wire: Wire, behaviour: Behaviour) => Promise<readonly string[] | undefined>;

/** The measurements of `make faults`. No component may end the process or cause an unhandled error. */
export function faultRows({ wires }: Settings): readonly Group[] {
  const unhandled: string[] = [];
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => void unhandled.push(String(error)));
  const row = async (cell: Cell): Promise<Figure> => {
    const bad: string[] = [];
    const counts = new Map<string, number>();
    for (const behaviour of behaviours)
      for (const wire of wires) {
        unhandled.length = 0;
        const problems = await cell(wire, behaviour);
        if (problems === undefined) continue;
        await new Promise((resolve) => setImmediate(resolve));
        const all = [...problems, ...unhandled.map((error) => `unhandled ${error}`)];
        bad.push(...all.map((problem) => `${behaviour} on ${wire.name}: ${problem}`));
        counts.set(wire.name, (counts.get(wire.name) ?? 0) + (all.length === 0 ? 1 : 0));
      }
    const held = [...counts].map(([name, count]) => `${count} on ${name}`).join(", ");
    const target = "all: process up, others' responses unchanged, the fault counted";
    return { figure: `cells that hold: ${held} ${bad.join("; ")}`, target, met: bad.length === 0 && counts.size > 0 };
  };
  const cells = {
    ...Object.fromEntries(Object.entries(components).map(([name, part]) => [name, cellOf(part)])),
    "SSE client": clientCell,
  };
  return [Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, () => row(cell)]))];
}

/** A separate app, with `/plain` for others. `ask` waits at most 300 ms for a response that may never come. */
async function during(
  wire: Wire,
  define: (app: Framework) => void,
  use: (
    ask: (path: string, mayHang?: boolean) => Promise<number | undefined>,
    port: number,
    errors: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const errors: string[] = [];
  const error = (line: string, cause?: unknown): void => void errors.push(`${line}: ${String(cause)}`);
  const timeouts = { idleMs: 500, checkMs: 100 };
  const { app, serve } = appFor(wire.engine, {
    shutdownGraceMs: 100,
    timeouts,
    logger: { warn: () => undefined, error },
  });
  define(app.get("/plain", () => "plain"));
  const { port, stop } = await serve();
  const ask = async (path: string, mayHang = false): Promise<number | undefined> => {
    const client = new Client(wire, port);
    return await client
      .status({ path, signal: AbortSignal.timeout(mayHang ? 300 : 10_000) })
      .finally(() => client.close());
  };
  await use(ask, port, errors).finally(stop);
}

const cellOf =
  (component: Component): Cell =>
  async (wire, behaviour) => {
    const problems: string[] = [];
    let cell: ReturnType<Component>;
    const define = (app: Framework): void => void (cell = put(component, app, behaviour));
    await during(wire, define, async (ask, _port, errors) => {
      if (cell === undefined) return;
      const { status, counted } = cell;
      const faults = [ask("/fault", status === undefined), ask("/fault", status === undefined)];
      const plain = [await ask("/plain"), await ask("/plain"), await ask("/plain")];
      for (const found of await Promise.all(faults))
        if (found !== status) problems.push(`/fault got ${found ?? "nothing"}, not ${status ?? "nothing"}`);
      for (const found of [...plain, await ask("/plain")])
        if (found !== 200) problems.push(`/plain got ${found ?? "nothing"}`);
      await until(() => counted(errors));
      if (!counted(errors)) problems.push("the fault was not counted");
    });
    return cell === undefined ? undefined : problems;
  };

/** A client of a stream that resets, half-closes, stalls, sends garbage or reads slowly. */
const clientCell: Cell = async (wire, behaviour) => {
  const problems: string[] = [];
  let open = 0;
  const define = (app: Framework): void =>
    void app.get("/fault", (ctx) => {
      const stream = ctx.sse();
      open += 1;
      const timer = setInterval(() => stream.send("x".repeat(10_000)), 1);
      ctx.onComplete(() => {
        open -= 1;
        clearInterval(timer);
      });
    });
  await during(wire, define, async (ask, port) => {
    const socket = dial(wire, port);
    socket.write(requestBytes(wire, ["GET /fault"], true));
    socket.once("data", () => {
      if (behaviour === "throws") socket.destroy();
      if (behaviour === "rejects") socket.end();
      if (behaviour === "hangs") socket.pause();
      if (behaviour === "wrong type") socket.write("\u0000\u0001 nonsense\r\n\r\n".repeat(50));
      if (behaviour === "slow") socket.pause().once("readable", () => socket.read(1));
    });
    await pause(100);
    if ((await ask("/plain")) !== 200) problems.push("/plain got no response");
    socket.destroy();
    await until(() => open === 0);
    if (open > 0) problems.push("the stream was not given up");
  });
  return problems;
};
