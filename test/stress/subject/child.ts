/**
 * The subject from its parent's side: started, asked, stopped.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FrameworkOptions } from "framework";
import { commandOn } from "../../environment.ts";
import type { Settings } from "../settings.ts";
import type { EngineName } from "../wires.ts";
import type { Questions } from "./process.ts";

/** The subject's report about itself. */
export type SubjectState = Awaited<ReturnType<Questions["state"]>>;

/** A process that is silent for this long counts as permanently busy. */
const silenceMs = 30_000;

/** A running subject. */
export class SubjectProcess {
  static readonly #running: Set<SubjectProcess> = new Set();
  readonly #child: ChildProcess;
  readonly port: number;
  readonly #waiting: Map<number, { resolve(reply: unknown): void; reject(error: Error): void }> = new Map();
  #questions = 0;
  /** Settles when the process has ended, with its code or signal. */
  readonly ended: Promise<number | string>;
  hasEnded = false;

  private constructor(child: ChildProcess, port: number) {
    SubjectProcess.#running.add(this);
    this.#child = child;
    this.port = port;
    this.ended = once(child, "exit").then(([code, signal]: readonly unknown[]) => {
      this.hasEnded = true;
      SubjectProcess.#running.delete(this);
      const ending = (code ?? signal) as number | string;
      for (const { reject } of this.#waiting.values()) reject(endedBy(ending));
      return ending;
    });
    child.on("message", ({ id, reply }: { readonly id: number; readonly reply: unknown }) => {
      this.#waiting.get(id)?.resolve(reply);
    });
  }

  /** Starts a subject on a free port. */
  static async start(
    { node }: Settings,
    engine: EngineName,
    options: FrameworkOptions = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<SubjectProcess> {
    const script = fileURLToPath(new URL("./process.js", import.meta.url));
    const own = { NODE_ENV: "development", STRESS_ENGINE: engine, STRESS_OPTIONS: JSON.stringify(options) };
    const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
    const [command, ...args] = commandOn(engine) ?? [node, "--expose-gc"];
    const child = spawn(command, [...args, script], { stdio: [...stdio], env: { ...process.env, ...own, ...more } });
    const exit = once(child, "exit").then(() => Promise.reject(new Error("the subject ended before it listened")));
    const [{ port }] = (await Promise.race([once(child, "message"), exit])) as [{ port: number }];
    exit.catch(() => undefined);
    return new SubjectProcess(child, port);
  }

  /** Starts one for the duration of `use`. */
  static async during<T>(
    settings: Settings,
    engine: EngineName,
    options: FrameworkOptions,
    use: (subject: SubjectProcess) => Promise<T>,
  ): Promise<T> {
    const subject = await SubjectProcess.start(settings, engine, options);
    return await use(subject).finally(() => subject.stop());
  }

  /** Stops all that still run. */
  static async stopAll(): Promise<void> {
    await Promise.all([...SubjectProcess.#running].map((subject) => subject.stop()));
  }

  /** @throws (rejects) if it has ended, or does not respond */
  ask<Name extends keyof Questions>(
    name: Name,
    ...given: Parameters<Questions[Name]>
  ): Promise<Awaited<ReturnType<Questions[Name]>>> {
    const id = (this.#questions += 1);
    let silent: NodeJS.Timeout | undefined;
    const replied = new Promise<unknown>((resolve, reject) => {
      silent = setTimeout(() => reject(new Error(`the subject said nothing for ${silenceMs} ms`)), silenceMs);
      this.#waiting.set(id, { resolve, reject });
      if (this.hasEnded) void this.ended.then((ending) => reject(endedBy(ending)));
      else this.#child.send({ id, name, given });
    });
    const settled = replied.finally(() => {
      clearTimeout(silent);
      this.#waiting.delete(id);
    });
    return settled as Promise<Awaited<ReturnType<Questions[Name]>>>;
  }

  /** The state as soon as `isThere` accepts it. Otherwise the state after ten seconds. */
  async stateWhen(isThere: (state: SubjectState) => boolean): Promise<SubjectState> {
    let state = await this.ask("state");
    for (let i = 0; i < 100 && !isThere(state); i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      state = await this.ask("state");
    }
    return state;
  }

  /** The share of a core that it uses without requests: the minimum of the next seconds. */
  async idleShare(seconds: number): Promise<number> {
    let least = Infinity;
    for (let i = 0; i < seconds && least >= 0.2; i += 1) {
      const [before, since] = [await this.ask("cpu"), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      least = Math.min(least, ((await this.ask("cpu")) - before) / (performance.now() - since));
    }
    return least;
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#child.kill(name);
  }

  /** Stops it, by force after fifteen seconds. */
  async stop(): Promise<void> {
    if (!this.hasEnded) this.signal("SIGTERM");
    const late = setTimeout(() => this.signal("SIGKILL"), 15_000);
    await this.ended.finally(() => clearTimeout(late));
  }
}

const endedBy = (ending: number | string): Error => new Error(`the subject has ended: ${ending}`);
