/**
 * The rows of `make faults`: a matrix of components and the ways they go wrong, one row a component.
 *
 *   cell ──▶ an app of its own ──▶ /plain, /fault, /plain at once and again
 *            the process stays up · /plain is answered as ever · /fault as the table says · the app noticed
 */
import { request } from "node:http";
import { Framework } from "framework";
import type { Measurement, Row } from "../rows.ts";
import { behaviours, type Behaviour } from "./behaviours.ts";
import { misuse, streaming } from "./clients.ts";
import { components, type Component } from "./components.ts";

const unhandled: string[] = [];
const watch = (error: unknown): void => void unhandled.push(String(error));
let isWatching = false;

/** Nothing that a component does may end the process or go unhandled. */
function watchProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("uncaughtException", watch).on("unhandledRejection", watch);
}

interface App {
  readonly app: Framework;
  readonly errors: string[];
}

function makeApp(): App {
  const errors: string[] = [];
  const logger = {
    warn: () => undefined,
    error: (line: string, error?: unknown) => void errors.push(`${line}: ${String(error)}`),
  };
  return { app: Framework.create({ host: "127.0.0.1", shutdownGraceMs: 100, logger }), errors };
}

async function row(name: string, cell: (behaviour: Behaviour) => Promise<readonly string[] | undefined>): Promise<Row> {
  watchProcess();
  const bad: string[] = [];
  let cells = 0;
  for (const behaviour of behaviours) {
    unhandled.length = 0;
    const problems = await cell(behaviour);
    if (problems === undefined) continue;
    cells += 1;
    await new Promise((resolve) => setImmediate(resolve));
    bad.push(
      ...[...problems, ...unhandled.map((error) => `unhandled ${error}`)].map((problem) => `${behaviour}: ${problem}`),
    );
  }
  const broken = new Set(bad.map((problem) => problem.split(":")[0])).size;
  const figure = `${cells - broken} of ${cells} cells hold ${bad.join("; ")}`;
  return {
    name,
    figure: figure.trim(),
    target: "process up, others' answers unchanged, the fault counted",
    met: bad.length === 0 && cells > 0,
  };
}

/** What is wrong in a cell; undefined where there is none. */
async function componentCell(component: Component, behaviour: Behaviour): Promise<readonly string[] | undefined> {
  const { app, errors } = makeApp();
  const cell = component(app, behaviour);
  if (cell === undefined) return undefined;
  await app.start(0);
  try {
    const problems: string[] = [];
    const faults = [ask(app.port, "/fault", cell.status), ask(app.port, "/fault", cell.status)];
    for (let i = 0; i < 3; i += 1) problems.push(...(await plainProblems(app.port)));
    const statuses = await Promise.all(faults);
    for (const status of statuses)
      if (status !== cell.status)
        problems.push(`/fault was answered ${status ?? "nothing"}, not ${cell.status ?? "nothing"}`);
    problems.push(...(await plainProblems(app.port)));
    await until(() => cell.counted(errors));
    if (!cell.counted(errors)) problems.push("the fault was not counted");
    return problems;
  } finally {
    await app.stop();
  }
}

async function clientCell(behaviour: Behaviour): Promise<readonly string[]> {
  const { app } = makeApp();
  const open = streaming(app);
  await app.start(0);
  try {
    const socket = await misuse(app.port, behaviour);
    const problems = [...(await plainProblems(app.port))];
    socket.destroy();
    await until(() => open() === 0);
    if (open() > 0) problems.push("the stream was not given up");
    return problems;
  } finally {
    await app.stop();
  }
}

async function plainProblems(port: number): Promise<readonly string[]> {
  const status = await ask(port, "/plain", 200);
  return status === 200 ? [] : [`/plain was answered ${status ?? "nothing"}`];
}

/** The status of an answer that came whole; undefined when none did. What may wait for ever is waited for 300 ms. */
function ask(port: number, path: string, expected: number | undefined): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ port, host: "127.0.0.1", path, agent: false }, (response) => {
      response
        .resume()
        .once("end", () => resolve(response.statusCode))
        .once("error", () => resolve(undefined));
    });
    const timer = setTimeout(() => sent.destroy(), expected === undefined ? 300 : 10_000);
    sent.once("close", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    sent.on("error", () => undefined).end();
  });
}

async function until(isThere: () => boolean): Promise<void> {
  for (let i = 0; i < 100 && !isThere(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What `make faults` measures. */
export const faultRows: Readonly<Record<string, Measurement>> = {
  ...Object.fromEntries(
    Object.entries(components).map(([name, component]) => [
      name,
      () => row(name, (behaviour) => componentCell(component, behaviour)),
    ]),
  ),
  "SSE client": () => row("SSE client (resets, half-closes, stalls, talks nonsense, crawls)", clientCell),
};
