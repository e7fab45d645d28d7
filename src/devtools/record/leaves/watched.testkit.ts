/** An application with devtools and one route with given work, and its recording. */
import assert from "node:assert/strict";
import { Beans, type Context, Framework, Interface } from "framework";
import { Devtools, type DevtoolsOptions, type Trace } from "../../index.ts";

/** A bean that runs its argument. */
export interface Store {
  load<R>(work: () => R): R;
}
/** Its token. */
export const Store: Interface<Store> = Interface<Store>("Store");

/** An application with devtools and one route with given work. */
export class Watched {
  readonly lines: string[] = [];
  readonly devtools: Devtools;
  readonly app: Framework;

  constructor(options: DevtoolsOptions = {}, work: (ctx: Context, store: Store) => unknown = () => "") {
    this.devtools = Devtools.create(options);
    const beans = Beans.builder()
      .bind(Store, () => ({ load: (run) => run() }))
      .instrument(this.devtools.recorder())
      .start();
    const log = (line: string): void => void this.lines.push(line);
    this.app = Framework.create({ logger: { info: log, warn: log, error: log } });
    this.app.get("/{id}", async (ctx) => {
      await work(ctx, ctx.get(Store));
      return "done";
    });
    this.devtools.install(this.app.beans(beans), beans);
  }

  /** Sends a request and returns its trace. */
  async trace(path = "/7"): Promise<Trace> {
    const response = await this.app.fetch(new Request(`http://localhost${path}`));
    assert.equal(await response.text(), "done");
    return (await this.traces())[0] ?? assert.fail("there is no trace");
  }

  async traces(): Promise<readonly Trace[]> {
    const request = new Request("http://localhost/framework/dev/api/requests", { headers: { host: "localhost" } });
    return (await (await this.app.fetch(request, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  }
}
