/** Panels of plugins are listed, read, bounded, redacted and guarded (PLUGIN). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, definePlugin, Framework, Interface, type PanelKind } from "framework";
import { Devtools, type DevtoolsOptions } from "../index.ts";
import type { HostPanel } from "../host.ts";
import { Panels } from "./panels.ts";
import { plainSnapshots } from "../capture/plain-snapshots.testkit.ts";
import { createRedactor } from "../capture/redact.ts";
import { Snapshotter } from "../capture/snapshot.ts";

const silent = { warn: () => undefined, error: () => undefined };
const panels = "/framework/dev/api/panels";

/** The responses of an app with that panel. */
function served(read: () => unknown, kind: PanelKind = "json", options: DevtoolsOptions = {}) {
  const app = Framework.create({ logger: silent }).plugin(
    definePlugin({ name: "mail", panel: { title: "Mails", kind, read } }),
  );
  Devtools.create(options).install(app);
  return async (path: string, peerAddress = "127.0.0.1"): Promise<readonly [number, unknown]> => {
    const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
    const response = await app.fetch(request, { peerAddress });
    const text = await response.text();
    return [response.status, text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text];
  };
}

const info = { name: "mail", title: "Mails", kind: "json" };

describe("the panels of plugins", () => {
  it("PLUGIN-017: are listed, and each is read on request", async () => {
    let reads = 0;
    const ask = served(() => ({ reads: ++reads }));
    assert.deepEqual(await ask(panels), [200, [info]]);
    assert.deepEqual(await ask(`${panels}/mail`), [200, { ...info, data: { reads: 1 }, error: null }]);
    assert.deepEqual(await ask(`${panels}/mail`), [200, { ...info, data: { reads: 2 }, error: null }]);
    assert.deepEqual((await ask(`${panels}/other`))[0], 404);
    assert.deepEqual((await ask(`${panels}/mail/x`))[0], 404);
  });

  it("PLUGIN-017: an app without plugins has an empty list", async () => {
    const app = Framework.create({ logger: silent });
    Devtools.create().install(app, Beans.builder().start());
    const response = await app.fetch(new Request(`http://localhost${panels}`, { headers: { host: "localhost" } }), {
      peerAddress: "127.0.0.1",
    });
    assert.deepEqual(await response.json(), []);
  });

  it("PLUGIN-017: a value is bounded, its secrets hidden, and none of its code runs", async () => {
    const row = {
      to: "ada",
      password: "hunter2",
      get lazy(): string {
        throw new Error("read");
      },
    };
    const ask = served(async () => [row, { sent: new Date(0) }, "x".repeat(9)], "table", {
      limits: { items: 2, stringChars: 100 },
    });
    const [, panel] = await ask(`${panels}/mail`);
    assert.deepEqual(panel, {
      ...info,
      kind: "table",
      data: [
        { to: "ada", password: "[redacted]", $truncated: 1 },
        { sent: { $date: "1970-01-01T00:00:00.000Z" } },
        { $truncated: 1 },
      ],
      error: null,
    });
  });

  it("PLUGIN-018: one that throws or rejects is a response with the error and no value", async () => {
    const boom = new RangeError("no table, token=hunter2hunter2");
    for (const read of [
      () => Promise.reject(boom),
      () => {
        throw boom;
      },
    ]) {
      const [status, panel] = await served(read)(`${panels}/mail`);
      assert.equal(status, 200);
      const { error, data } = panel as { error: { name: string; message: string }; data: unknown };
      assert.deepEqual([data, error.name], [null, "RangeError"]);
      assert.match(error.message, /^no table/);
    }
  });

  it("PLUGIN-018: one that is not read in time is a response with an error, too", async () => {
    const snapshots = new Snapshotter({
      limits: { stringChars: 1_000, depth: 5, items: 10, nodes: 100, snapshotBytes: 10_000 },
      redactor: createRedactor({}),
      forms: new Map(),
      nameOf: () => undefined,
      quietly: (run) => run(),
    });
    const never: HostPanel = { name: "mail", title: "Mails", kind: "json", read: () => new Promise(() => undefined) };
    assert.deepEqual(await new Panels(() => [never], snapshots, 10).read("mail"), {
      ...info,
      data: null,
      error: { name: "Error", message: "the panel of mail was not read within 0.01 s" },
    });
  });

  it("leaves no timer that keeps the process alive", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
    const mail: HostPanel = { name: "mail", title: "Mails", kind: "json", read: () => 7 };
    const panels = new Panels(() => [mail], plainSnapshots(createRedactor({})), 60_000);
    const before = timers();
    assert.deepEqual((await panels.read("mail"))?.data, 7);
    assert.equal(timers(), before);
  });

  it("PLUGIN-019: the guard protects all of them, and nothing is read for rejected clients", async () => {
    let reads = 0;
    const ask = served(() => ++reads);
    for (const path of [panels, `${panels}/mail`, `${panels}/other`])
      assert.deepEqual(await ask(path, "10.0.0.2"), [404, ""]);
    const withToken = served(() => ++reads, "json", { token: "0123456789abcdef" });
    assert.equal((await withToken(`${panels}/mail`))[0], 403);
    assert.equal(reads, 0);
  });

  it("the graph of devtools shows the beans of plugins, and their calls are recorded", async () => {
    const Mailer = Interface<{ send(): string }>("Mailer");
    const Shop = Interface<{ order(): string }>("Shop");
    const mail = definePlugin({
      name: "mail",
      beans: (builder) => builder.bind(Mailer, () => ({ send: () => "sent" })),
      install: (scope) => void scope.get("/send", [Mailer, "send"]),
    });
    for (const form of ["running", "builder"] as const) {
      const devtools = Devtools.create();
      const builder = Beans.builder()
        .bind(Shop, () => ({ order: () => "ordered" }))
        .instrument(devtools.recorder());
      const beans = form === "running" ? builder.start() : undefined;
      const app = Framework.create({ logger: silent })
        .beans(beans ?? builder)
        .plugin(mail);
      devtools.install(app, beans);
      await app.request("/send");
      const ask = async (name: string): Promise<unknown> => {
        const request = new Request(`http://localhost/framework/dev/api/${name}`, { headers: { host: "localhost" } });
        return (await app.fetch(request, { peerAddress: "127.0.0.1" })).json();
      };
      const { nodes } = (await ask("graph")) as { nodes: { id: string; traceable: boolean }[] };
      assert.deepEqual(
        nodes.map(({ id, traceable }) => [id, traceable]),
        [
          ["Shop", true],
          ["Mailer", true],
        ],
      );
      const [run] = (await ask("requests")) as { calls: { bean: string }[] }[];
      assert.deepEqual(
        run?.calls.map(({ bean }) => bean),
        ["Mailer"],
      );
    }
  });
});
