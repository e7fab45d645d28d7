/**
 * The subject as its parent sees it: started, asked, stopped.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FrameworkOptions } from "framework";
import type { Settings } from "../settings.ts";
import type { Comparison, SubjectState } from "./state.ts";

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running subject. */
export class SubjectProcess {
  readonly #child: ChildProcess;
  readonly port: number;
  /** Settles when the process has ended. */
  readonly ended: Promise<Ending>;
  readonly #waiting: Map<number, (answer: unknown) => void> = new Map();
  #questions = 0;
  #hasEnded = false;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.ended = once(child, "exit").then(([code, signal]: readonly unknown[]) => {
      this.#hasEnded = true;
      return { code: code as number | null, signal: signal as string | null };
    });
    child.on("message", (message: { readonly id: number; readonly answer: unknown }) => {
      this.#waiting.get(message.id)?.(message.answer);
      this.#waiting.delete(message.id);
    });
  }

  /** Starts a subject on a free port. `size` is the number of nonces that it tells apart. */
  static async start(
    settings: Settings,
    options: FrameworkOptions = {},
    size = 1,
    more: Readonly<Record<string, string>> = {},
  ): Promise<SubjectProcess> {
    const script = fileURLToPath(new URL("./process.js", import.meta.url));
    const env = {
      ...process.env,
      NODE_ENV: "development",
      STRESS_SIZE: String(size),
      STRESS_OPTIONS: JSON.stringify(options),
      ...more,
    };
    const child = spawn(settings.node, ["--expose-gc", script], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env,
    });
    const [{ port }] = (await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => {
        throw new Error("the subject ended before it listened");
      }),
    ])) as [{ port: number }];
    return new SubjectProcess(child, port);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Its state, after a forced collection. @throws Error when it has ended. */
  state(): Promise<SubjectState> {
    return this.#ask({ ask: "state" }) as Promise<SubjectState>;
  }

  /** Compares what its observers saw with the traces that came out. */
  compare(traces: Uint8Array): Promise<Comparison> {
    return this.#ask({ ask: "compare", traces: Buffer.from(traces).toString("base64") }) as Promise<Comparison>;
  }

  /** Publishes so many events on `/events`. */
  publish(count: number): void {
    this.#child.send({ id: 0, question: { publish: count } });
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#child.kill(name);
  }

  /** Ends it, by force after five seconds. */
  async stop(): Promise<Ending> {
    if (!this.#hasEnded) this.signal("SIGTERM");
    const late = setTimeout(() => this.signal("SIGKILL"), 15_000);
    const ending = await this.ended;
    clearTimeout(late);
    return ending;
  }

  #ask(question: object): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(new Error("the subject has ended"));
    const id = (this.#questions += 1);
    return Promise.race([
      new Promise((resolve) => {
        this.#waiting.set(id, resolve);
        this.#child.send({ id, question });
      }),
      this.ended.then(({ code, signal }) => {
        throw new Error(`the subject ended while it was asked: code ${code}, signal ${signal}`);
      }),
    ]);
  }
}
