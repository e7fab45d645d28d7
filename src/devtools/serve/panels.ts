/**
 * Panels: plugins' own data, as bounded and redacted JSON.
 *
 *   …/api/panels ──▶ names, titles, kinds        …/api/panels/{name} ──▶ read() ──▶ snapshot │ the error it threw
 *
 * Reading is the plugin's own code. An error that it throws is shown, and a value that takes more than five seconds is an error.
 *
 * Spec: spec/plugins.md
 */
import type { Panel, PanelInfo } from "../run/shapes.ts";
import type { HostPanel } from "../host.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import type { Snapshotter } from "../capture/snapshot.ts";

const patienceMs = 5_000;

/** The panels of an application. */
export class Panels {
  readonly #panels: () => readonly HostPanel[];
  readonly #snapshots: Snapshotter;
  readonly #patienceMs: number;

  /** @param given asks the application; its errors go to the caller */
  constructor(given: () => readonly HostPanel[], snapshots: Snapshotter, waitMs: number = patienceMs) {
    this.#panels = given;
    this.#snapshots = snapshots;
    this.#patienceMs = waitMs;
  }

  list(): readonly PanelInfo[] {
    return this.#panels().map((panel) => infoOf(panel));
  }

  /** The panel of that name with its current value, or undefined without one. Never rejects. */
  async read(name: string): Promise<Panel | undefined> {
    const panel = this.#panels().find((one) => one.name === name);
    if (panel === undefined) return undefined;
    try {
      const value = await inTime(panel, this.#patienceMs);
      return { ...infoOf(panel), data: this.#within().take(value).json, error: null };
    } catch (error) {
      return { ...infoOf(panel), data: null, error: this.#within().error(error) };
    }
  }

  /** Each reading has separate secrets. */
  #within(): Snapshotter {
    return this.#snapshots.within(new KnownSecrets());
  }
}

const infoOf = ({ name, title, kind }: HostPanel): PanelInfo => ({ name, title, kind });

async function inTime(panel: HostPanel, waitMs: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`the panel of ${panel.name} was not read within ${waitMs / 1_000} s`);
    timer = setTimeout(() => reject(error), waitMs);
  });
  try {
    return await Promise.race([panel.read(), late]);
  } finally {
    clearTimeout(timer);
  }
}
