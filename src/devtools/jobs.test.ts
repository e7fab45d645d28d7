/**
 * Jobs in devtools: attempts as runs, links by the job's id, dead letters, their replay and their retry.
 *
 * Spec: spec/trace.md, spec/history.md, spec/replay.md
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Beans, Framework, Interface, type JobOrigin, type JobSending, type Logger } from "framework";
import { DeadLetterError, job, memoryWork, Work } from "framework/work";
import {
  Devtools,
  type DevtoolsOptions,
  type JobsView,
  type ReplayPlan,
  type SearchPage,
  type Trace,
} from "./index.ts";

interface Mailer {
  send(order: string): string;
}
const Mailer = Interface<Mailer>("MailerRepository");
const input = { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const;
const invoice = { attempts: 2, backoff: { kind: "fixed", delayMs: 500 } } as const;
const Invoice = job("invoice", { input, ...invoice });
const Forward = job("forward", { input });
const quiet: Logger = { warn: () => undefined, error: () => undefined };
const folder = mkdtempSync(join(tmpdir(), "devtools-jobs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** An application with jobs, on a free port. */
async function subject(devtoolsOptions: DevtoolsOptions = {}, schema: object = input) {
  const world = { mail: "down", sent: [] as string[] };
  const devtools = Devtools.create({ history: false, ...devtoolsOptions });
  const mailer: Mailer = {
    send(order) {
      if (world.mail === "down") throw new Error("no mail server");
      if (world.mail === "gone") throw new DeadLetterError("no such mailbox");
      world.sent.push(order);
      return order;
    },
  };
  const beans = Beans.builder()
    .bind(Mailer, () => mailer)
    .instrument(devtools.recorder())
    .start();
  const jobs = memoryWork({ manual: true });
  const app = Framework.create({ host: "127.0.0.1", logger: quiet }).beans(beans).work(jobs);
  app.job(job("invoice", { input: schema, ...invoice }), (given, run) =>
    run.get(Mailer).send((given as { order: string }).order),
  );
  app.job(Forward, (given, run) => run.get(Work).send(Invoice, given));
  app.schedule("nightly", "0 3 * * *", { timeZone: "Europe/Berlin" }, Forward, { order: "all" });
  app.post("/orders", async (ctx) => ({
    job: await ctx.get(Work).send(Invoice, (await ctx.body()) as { order: string }),
  }));
  app.post("/forward", async (ctx) => ({ job: await ctx.get(Work).send(Forward, { order: "f" }) }));
  devtools.install(app, beans);
  await app.start(0);
  const call = async (path: string, init?: RequestInit): Promise<Response> => fetch(`${app.url}${path}`, init);
  const read = async <T>(name: string): Promise<T> => (await (await call(`/framework/dev/api/${name}`)).json()) as T;
  const found = async (query: string): Promise<Trace[]> => {
    const { hits } = await read<SearchPage>(`search?q=${encodeURIComponent(query)}`);
    return Promise.all(hits.map((hit) => read<Trace>(`runs/${hit.instance}.${hit.sequence}`)));
  };
  const order = async (body: object = { order: "7" }): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const response = await call("/orders", { method: "POST", body: JSON.stringify(body), headers });
    return ((await response.json()) as { job: string }).job;
  };
  // The clock of a manual engine goes on from one run to the next.
  let clock = 0;
  const later = async (ms: number): Promise<void> => {
    clock = Math.max(clock, Date.now()) + ms;
    await jobs.run({ at: clock });
  };
  return { app, later, world, call, read, found, order };
}

type Subject = Awaited<ReturnType<typeof subject>>;

/** Sends an order, and lets its job die. */
async function died({ later, order, found }: Subject, body?: object): Promise<{ id: string; letter: Trace }> {
  const id = await order(body);
  await later(0);
  await later(500);
  const [letter] = await found(`is:dead id:${id}`);
  assert.ok(letter);
  return { id, letter };
}

const keyOf = ({ instance, sequence }: Trace): string => `${instance}.${sequence}`;
const replayInit = (key: string, beans: string, more: object = {}): RequestInit => ({
  method: "POST",
  headers: { "X-Framework-Replay": `${key};beans=${beans}`, "X-Framework-Dev": "mine-1", ...more },
});

describe("an attempt at a job", () => {
  it("TRACE-130: is a run of its own, with the input, the number, and what became of the job", async () => {
    const { app, later, world, order, found } = await subject();
    const id = await order({ order: "7" });
    await later(0);
    world.mail = "up";
    await later(500);
    const [second, first] = await found("job:invoice");
    assert.deepEqual(
      [first, second].map((run) => [run?.kind, run?.method, run?.path, run?.route, run?.id, run?.status]),
      [
        ["job", "RUN", "invoice", null, id, 500],
        ["job", "RUN", "invoice", null, id, 200],
      ],
    );
    assert.deepEqual(first?.request.body, { order: "7" });
    assert.deepEqual([first?.error?.message, second?.response.body], ["no mail server", "7"]);
    const { sentAt = 0, sender, ...mark } = first?.job ?? {};
    assert.deepEqual(mark, { id, system: "memory", attempt: 1, attempts: 2, outcome: "failed", againMs: 500 });
    assert.ok(sentAt > 0 && sender?.origin === app.url, JSON.stringify(first?.job));
    assert.deepEqual([second?.job?.attempt, second?.job?.outcome, second?.job?.againMs], [2, "done", undefined]);
    assert.deepEqual(
      first?.calls.map(({ bean, method }) => `${bean}.${method}`),
      ["MailerRepository.send"],
    );
    await app.stop();
  });

  it("TRACE-131: is linked both ways with what sent it, a request or another attempt", async () => {
    const { app, later, call, found } = await subject();
    const { job: forwarded } = (await (await call("/forward", { method: "POST" })).json()) as { job: string };
    await later(0);
    const [attempt] = await found(`kind:job id="${forwarded}"`);
    const [sender] = await found(`message="${forwarded}"`);
    assert.deepEqual([attempt?.path, sender?.method, sender?.path], ["forward", "POST", "/forward"]);
    assert.equal(attempt?.job?.sender?.id, `${sender?.instance}.${sender?.run}`);
    const [leaf] = attempt?.leaves ?? [];
    assert.deepEqual([leaf?.kind, leaf?.name], ["message", "send"]);
    const [inner] = await found("job:invoice");
    assert.deepEqual(leaf?.detail, {
      system: "memory",
      operation: "send",
      destination: "invoice",
      body: null,
      id: inner?.id,
    });
    assert.equal(inner?.job?.sender?.id, `${attempt?.instance}.${attempt?.run}`);
    await app.stop();
  });

  it("TRACE-131: is linked with a request of an earlier process, from the history", async () => {
    const history = join(folder, "runs.jsonl");
    const first = await subject({ history });
    const { id } = await died(first);
    await first.app.stop();
    const second = await subject({ history });
    const [sender] = await second.found(`message="${id}"`);
    const attempts = await second.found(`kind:job id="${id}"`);
    assert.deepEqual([sender?.path, attempts.map((one) => one.job?.attempt)], ["/orders", [2, 1]]);
    await second.app.stop();
  });

  it("TRACE-130: of an input that no longer fits is a run too, which says why its job is dead", async () => {
    const { app, later, order, found } = await subject({}, { type: "object", required: ["customer"] });
    const id = await order();
    await later(0);
    const [run] = await found("is:dead");
    assert.deepEqual([run?.id, run?.job?.attempt, run?.job?.outcome, run?.calls], [id, 1, "dead", []]);
    assert.match(run?.error?.message ?? "", /^its input does not fit its schema/);
    assert.deepEqual([run?.request.body, run?.job?.sender?.origin], [{ order: "7" }, app.url]);
    await app.stop();
  });

  it("is of a dead job when its handler says that another attempt would fail too", async () => {
    const { app, later, world, order, found } = await subject();
    world.mail = "gone";
    const id = await order();
    await later(0);
    const [run] = await found("is:dead");
    const { attempt, attempts, outcome, againMs } = run?.job ?? {};
    assert.deepEqual([run?.id, attempt, attempts, outcome, againMs], [id, 1, 2, "dead", undefined]);
    await app.stop();
  });

  it("has a schedule in place of a sender", async () => {
    const { app, later, found } = await subject();
    await later(25 * 60 * 60 * 1_000);
    const [run] = await found("job:forward");
    assert.deepEqual([run?.job?.schedule, run?.job?.sender], ["nightly", undefined]);
    await app.stop();
  });

  it("keeps no secret of its input", async () => {
    const { app, later, order, found } = await subject();
    await order({ order: "7", password: "open sesame" });
    await later(0);
    const [run] = await found("job:invoice");
    assert.ok(!JSON.stringify(run).includes("open sesame"));
    await app.stop();
  });

  it("is done and sent as before when an observer of it fails, and a note of any size is no obstacle", async () => {
    const jobs = memoryWork({ manual: true });
    const app = Framework.create({ logger: quiet }).work(jobs);
    const seen: unknown[] = [];
    app.observe({
      sending(one: JobSending, send: () => unknown) {
        one.note = "x".repeat(10_000);
        void send();
        throw new Error("the observer's own");
      },
      background(_name: string, _work: () => unknown, _origin: unknown, of?: JobOrigin) {
        seen.push([of?.name, of?.note, of?.trial, of?.isRejected, of?.attempts]);
        throw new Error("the observer's own");
      },
    });
    app.job(Invoice, () => void seen.push("done"));
    await app.ready();
    await jobs.work.send(Invoice, { order: "1" });
    assert.deepEqual(
      (await jobs.run()).map(({ outcome }) => outcome),
      ["done"],
    );
    assert.deepEqual(seen, [["invoice", undefined, undefined, false, 2], "done"]);
    await app.stop();
  });
});

describe("the list of jobs", () => {
  it("HISTORY-040: has the figures, the schedules and the dead letters, each with its latest attempt", async () => {
    const made = await subject();
    const { id, letter } = await died(made, { order: "7", password: "open sesame" });
    const { dead, schedules, ...view } = await made.read<JobsView>("jobs");
    assert.deepEqual(view, {
      engine: "memory",
      reason: null,
      jobs: [
        { job: "invoice", waiting: 0, active: 0, dead: 1, oldestMs: 0 },
        { job: "forward", waiting: 1, active: 0, dead: 0, oldestMs: 0 },
      ],
    });
    assert.deepEqual(
      schedules.map(({ nextAt, ...one }) => [one, nextAt > Date.now()]),
      [[{ name: "nightly", cron: "0 3 * * *", timeZone: "Europe/Berlin", job: "forward" }, true]],
    );
    const [{ input: shown, ...rest } = {}] = dead as readonly Partial<JobsView["dead"][number]>[];
    assert.deepEqual(rest, { id, job: "invoice", reason: "no mail server", issues: [], run: keyOf(letter) });
    assert.deepEqual(shown, { order: "7", password: "[redacted]" });
    await made.app.stop();
  });

  it("HISTORY-040: says why there is nothing to list", async () => {
    const { app } = await subject();
    const driver = app.about.jobs;
    assert.ok(driver);
    await app.stop();
    assert.equal((await driver.counts().catch(String)) satisfies unknown, "Error: memory is not connected");
    const none = Framework.create({ host: "127.0.0.1", logger: quiet });
    Devtools.create({ history: false }).install(none);
    await none.start(0);
    const response = await fetch(`${none.url}/framework/dev/api/jobs`);
    const view = { engine: null, reason: null, jobs: [], schedules: [], dead: [] };
    assert.deepEqual(await response.json(), view);
    await none.stop();
  });

  it("HISTORY-040: names the engine's error while it is away", async () => {
    const away = memoryWork({ manual: true });
    const app = Framework.create({ host: "127.0.0.1", logger: quiet }).work(away);
    app.job(Invoice, () => undefined);
    Devtools.create({ history: false }).install(app);
    await app.start(0);
    assert.ok(app.about.jobs);
    Object.defineProperty(app.about.jobs, "counts", { value: () => Promise.reject(new Error("ECONNREFUSED")) });
    const response = await fetch(`${app.url}/framework/dev/api/jobs`);
    const view = { engine: "memory", reason: "ECONNREFUSED", jobs: [], schedules: [], dead: [] };
    assert.deepEqual(await response.json(), view);
    await app.stop();
  });

  it("HISTORY-042: puts a dead letter back into the engine, once", async () => {
    const made = await subject();
    const { id } = await died(made);
    const retry = (path: string, headers: object = { "content-type": "application/json" }): Promise<Response> =>
      made.call(`/framework/dev/api/jobs/${path}`, { method: "POST", body: "{}", headers: { ...headers } });
    made.world.mail = "up";
    assert.deepEqual([(await retry(`invoice/${id}`)).status, (await retry(`invoice/${id}`)).status], [200, 404]);
    await made.later(1);
    assert.deepEqual(made.world.sent, ["7"]);
    const [run] = await made.found(`id:${id} -status:500`);
    assert.deepEqual([run?.job?.attempt, run?.job?.outcome], [2, "done"]);
    const { detail } = (await (await retry("nothing/7")).json()) as { detail: string };
    assert.equal(detail, "this process does no job nothing");
    await made.app.stop();
  });

  it("HISTORY-043: rejects a retry that another site could send", async () => {
    const made = await subject();
    const { id } = await died(made);
    const path = `/framework/dev/api/jobs/invoice/${id}`;
    const type = { "content-type": "application/json" };
    const statusOf = async (headers: Record<string, string>, method = "POST"): Promise<number> =>
      (await made.call(path, { method, headers, body: method === "POST" ? "{}" : null })).status;
    assert.deepEqual(
      [
        await statusOf({ "content-type": "text/plain" }),
        await statusOf({ ...type, origin: "http://evil.example" }),
        await statusOf({ ...type, "sec-fetch-site": "cross-site" }),
        await statusOf({ ...type, "x-forwarded-for": "10.0.0.1" }),
        await statusOf({}, "GET"),
        await statusOf(type, "DELETE"),
      ],
      [415, 403, 403, 403, 404, 405],
    );
    assert.equal((await made.read<JobsView>("jobs")).dead.length, 1);
    await made.app.stop();
  });
});

describe("the replay of an attempt", () => {
  it("REPLAY-030: calls the handler with the recorded input, and chosen beans return what they did", async () => {
    const made = await subject();
    const { letter } = await died(made);
    made.world.mail = "up";
    const plan = await made.read<ReplayPlan>(`replays/${keyOf(letter)}`);
    assert.deepEqual(
      [plan.refusal, plan.beans.map(({ bean, isDefault }) => [bean, isDefault])],
      [null, [["MailerRepository", true]]],
    );
    const path = `/framework/dev/api/replays/${keyOf(letter)}`;
    const same = await made.call(path, replayInit(keyOf(letter), "MailerRepository"));
    assert.deepEqual([same.status, await same.json(), made.world.sent], [200, { reason: "no mail server" }, []]);
    const real = await made.call(path, replayInit(keyOf(letter), ""));
    assert.deepEqual([real.status, await real.json(), made.world.sent], [200, { reason: null }, ["7"]]);
    const runs = await made.found("is:mine");
    assert.deepEqual(
      runs.map(({ job: of, replayOf, correlationId }) => [of?.outcome, replayOf?.sequence, correlationId]),
      [
        ["done", letter.sequence, "mine-1"],
        ["failed", letter.sequence, "mine-1"],
      ],
    );
    assert.equal((await made.read<JobsView>("jobs")).dead.length, 1, "the engine has it still");
    await made.app.stop();
  });

  it("REPLAY-030: takes a redacted input from the dead letter, and says that there is none", async () => {
    const made = await subject();
    const { letter } = await died(made, { order: "7", password: "open sesame" });
    made.world.mail = "up";
    const path = `/framework/dev/api/replays/${keyOf(letter)}`;
    assert.equal((await made.call(path, replayInit(keyOf(letter), ""))).status, 200);
    await made.app.about.jobs?.retry("invoice", letter.id);
    await made.later(1);
    const response = await made.call(path, replayInit(keyOf(letter), ""));
    const { detail } = (await response.json()) as { detail: string };
    assert.deepEqual(
      [response.status, detail],
      [409, "its input.password is redacted, and memory has no dead letter of it"],
    );
    await made.app.stop();
  });

  it("REPLAY-032: is rejected as any replay, and without its header", async () => {
    const made = await subject();
    const { letter } = await died(made);
    const key = keyOf(letter);
    const path = `/framework/dev/api/replays/${key}`;
    const statusOf = async (init: RequestInit, at = path): Promise<number> => (await made.call(at, init)).status;
    assert.deepEqual(
      [
        await statusOf({ method: "POST" }),
        await statusOf(replayInit("other.1", "")),
        await statusOf(replayInit(key, "Nobody")),
        await statusOf(replayInit(key, "", { origin: "http://evil.example" })),
        await statusOf(replayInit(key, "", { "x-forwarded-for": "10.0.0.1" })),
        await statusOf(replayInit("x.1", ""), "/framework/dev/api/replays/x.1"),
      ],
      [400, 400, 409, 403, 403, 409],
    );
    const [request] = await made.found("path:/orders");
    assert.ok(request);
    const of = keyOf(request);
    const response = await made.call(`/framework/dev/api/replays/${of}`, replayInit(of, ""));
    assert.match(((await response.json()) as { detail: string }).detail, /^the run is of no job/);
    assert.deepEqual(made.world.sent, []);
    await made.app.stop();
  });

  it("REPLAY-032: says that the input does not fit the schema of today, and calls nothing", async () => {
    const history = join(folder, "changed.jsonl");
    const first = await subject({ history });
    const { letter } = await died(first);
    await first.app.stop();
    const second = await subject({ history }, { type: "object", required: ["customer"] });
    const path = `/framework/dev/api/replays/${keyOf(letter)}`;
    const response = await second.call(path, replayInit(keyOf(letter), ""));
    assert.equal(response.status, 409);
    assert.match(((await response.json()) as { detail: string }).detail, /^its input does not fit its schema/);
    await second.app.stop();
  });
});
