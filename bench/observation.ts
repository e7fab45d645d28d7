/**
 * Observation: everything a run has measured so far. Each look adds to what those before it saw.
 *
 *   look ──▶ lists ▸ footprints ▸ parts ──▶ what `evaluate` judges by
 */
import type { Observed } from "./evaluate.ts";
import type { List } from "./lists.ts";
import type { Look } from "./looks.ts";
import { bothFootprints, measureFootprints, type Footprint } from "./method/footprint.ts";
import { measureList, together, type Contender, type Measured } from "./method/list.ts";
import { measureMicro, microOf, type Micro } from "./method/micro.ts";
import type { Samples } from "./method/ns-per-op.ts";
import type { Host } from "./method/server-process.ts";
import { groups } from "./micro-groups.ts";
import type { Settings } from "./settings.ts";

/** What was measured, look by look. */
export class Observation implements Observed {
  readonly lists: Map<string, Measured> = new Map();
  readonly footprints: Map<string, Footprint> = new Map();
  #samples: readonly Samples[] = [];
  /** What could not be measured, a sentence each. */
  readonly failures: string[] = [];
  readonly #host: Host;
  readonly #settings: Settings;
  readonly #say: (line: string) => unknown;

  constructor(host: Host, settings: Settings, say: (line: string) => unknown) {
    this.#host = host;
    this.#settings = settings;
    this.#say = say;
  }

  get micro(): Micro {
    return microOf(this.#samples);
  }

  /** Measures what a look is at, on top of what is there. A list whose servers fail is one of `failures`. */
  async add({ lists, footprints, micro }: Look): Promise<void> {
    for (const list of lists) await this.#addList(list);
    if (footprints.length > 0) await this.#addFootprints(footprints);
    if (micro) this.#addMicro();
  }

  async #addList({ id, contenders }: List): Promise<void> {
    const before = this.lists.get(id);
    this.#say(`${id}${before === undefined ? "" : " again"}: ${contenders.map(({ name }) => name).join(" ")}`);
    try {
      const now = await measureList(contenders, () => this.#host, this.#settings.shape);
      this.lists.set(id, before === undefined ? now : together(before, now));
    } catch (error) {
      const failure = `${id}: ${error instanceof Error ? error.message : String(error)}`;
      this.failures.push(failure);
      this.#say(`✖ ${failure}`);
    }
  }

  async #addFootprints(contenders: readonly Contender[]): Promise<void> {
    this.#say(`start and memory${this.footprints.size === 0 ? "" : " again"}`);
    for (const [name, now] of await measureFootprints(contenders, this.#host, this.#settings.footprint)) {
      const before = this.footprints.get(name);
      this.footprints.set(name, before === undefined ? now : bothFootprints(before, now));
    }
  }

  #addMicro(): void {
    this.#say(`parts${this.#samples.length === 0 ? "" : " again"}: ${Object.keys(groups).join(" ")}`);
    this.#samples = [...this.#samples, ...measureMicro(Object.keys(groups), this.#host, this.#settings.micro)];
  }
}
