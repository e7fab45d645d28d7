/**
 * Sources: all sources of leaves, subscribed while requests are recorded.
 *
 *   first recorded run ──▶ open ──▶ clients · libraries · the console · channels of the application's ──▶ close: app.stop
 *
 * Spec: spec/leaves.md
 */
import type { ForeignSpans } from "../services/foreign-spans.ts";
import type { Neighbours } from "../services/neighbours.ts";
import { ChannelHub, channelSource, type Source } from "./channels.ts";
import { consoleLines } from "./console.ts";
import type { LeafChannel } from "./descriptions.ts";
import { httpClients } from "./http-client.ts";
import type { Leaves } from "./leaves.ts";
import { libraries } from "./libraries/index.ts";
import { steps } from "./step.ts";

interface LeafSettings {
  readonly leaves: boolean;
  readonly channels: readonly LeafChannel[];
  /** Undefined to read the console's lines if Node publishes them. */
  readonly console: boolean | undefined;
}

/** The sources of one application. */
export class LeafSources {
  readonly #leaves: Leaves;
  readonly #sources: readonly Source[];
  readonly #hub: ChannelHub;
  /** Nothing is subscribed before the first run and after the end. */
  #isDone: boolean;

  constructor(leaves: Leaves, neighbours: Neighbours, settings: LeafSettings, spans?: ForeignSpans) {
    const { channels, console: ofConsole } = settings;
    this.#leaves = leaves;
    this.#hub = new ChannelHub((source, error) => leaves.fault(source, error));
    this.#isDone = !settings.leaves;
    this.#sources = [
      httpClients(neighbours, spans),
      ...libraries,
      steps,
      ...(ofConsole === false ? [] : [consoleLines(ofConsole === true)]),
      ...channels.map(channelSource),
    ];
  }

  open(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    for (const source of this.#sources) source(this.#hub, this.#leaves);
  }

  close(): void {
    this.#isDone = true;
    this.#hub.close();
  }
}
