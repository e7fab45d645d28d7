/** Leaves, by HTTP: what a run did below its beans. Spec: leaves.md (LEAF). */
import { proves } from "../kit/case.ts";
import { isLasting } from "../kit/evidence.ts";
import type { Probe } from "../kit/probe.ts";
import { idIn } from "../kit/response.ts";
import { traced, type Leaf, type Traced } from "../kit/traces.ts";
import { Violation } from "../kit/violation.ts";

/** A run that leaves one of each kind; the mark is its own. */
function left(probe: Probe, about: string, mark: string, more = ""): Promise<Traced> {
  return traced(probe, "GET", `/leaves/${mark}?about=leaf-${about}${more}`);
}

/** The leaf of a kind, with its detail. */
function leafOf<K extends Leaf["kind"]>({ trace }: Traced, kind: K): Extract<Leaf, { kind: K }> {
  const found = trace.leaves.find((leaf): leaf is Extract<Leaf, { kind: K }> => leaf.kind === kind);
  if (found === undefined) throw new Violation(`the run has no leaf of the kind ${kind}`);
  return found;
}

/** An order that was created, and the run that finds it. */
async function found(probe: Probe, about: string): Promise<Traced & { readonly id: string }> {
  const created = await probe.send("POST", "/orders", { json: { item: "tea", total: 10 } });
  const id = idIn(created) ?? "";
  return { id, ...(await traced(probe, "GET", `/orders/${id}?about=leaf-${about}`)) };
}

/** The cases of leaves. */
export const leaves = [
  proves("LEAF-001", "lists what was done below the beans in the order of beginning", async (probe) => {
    const { trace, response } = await left(probe, "order", probe.token());
    probe.equal("the status of the run", response.status, 200);
    const listed = trace.leaves.map(({ id, kind, name }) => `${id} ${kind} ${name}`);
    probe.equal("the leaves", listed, ["0 log info", "1 cache GET", "2 message send", "3 sql INSERT"]);
  }),

  proves("LEAF-002", "gives a leaf the call that was running for a parent, and the request none", async (probe) => {
    const inBean = await found(probe, "parent");
    const { trace } = await left(probe, "parent", probe.token());
    const { parentId } = leafOf(inBean, "sql");
    const parent = inBean.trace.calls.find(({ id }) => id === parentId);
    probe.equal("the parent in a bean", `${parent?.bean}.${parent?.method}`, "OrderRepository.find");
    const outside = trace.leaves.map((leaf) => leaf.parentId);
    probe.equal("the parents outside of beans", outside, [null, null, null, null]);
  }),

  proves("LEAF-003", "has the statement, its parameters and how many rows it brought", async (probe) => {
    const run = await found(probe, "sql");
    const mark = probe.token();
    const details = [run, await left(probe, "sql", mark)].map((one) => leafOf(one, "sql").detail);
    const seen = details.map(({ system, statement, parameters, rows }) => [system, statement, parameters, rows]);
    probe.equal("the statements", seen, [
      ["postgresql", "select id, item, total from orders where id = $1", [run.id], 1],
      ["postgresql", "insert into marks values ($1)", [mark], 1],
    ]);
  }),

  proves("LEAF-004", "has level, message and fields of a line of the request's log", async (probe) => {
    const mark = probe.token();
    const { level, message, fields } = leafOf(await left(probe, "log", mark), "log").detail;
    probe.equal("the line", [level, message, fields["mark"]], ["info", `leaving ${mark}`, mark]);
  }),

  proves("LEAF-005", "has the command of a cache, its key and whether there was something", async (probe) => {
    const mark = probe.token();
    const { system, command, key, hit } = leafOf(await left(probe, "cache", mark), "cache").detail;
    probe.equal("the command", [system, command, key, hit], ["redis", "GET", `marks:${mark}`, false]);
  }),

  proves("LEAF-006", "has operation, destination and body of a message", async (probe) => {
    const mark = probe.token();
    const { system, operation, destination, body } = leafOf(await left(probe, "message", mark), "message").detail;
    const sent = [system, operation, destination, (body as { mark?: unknown } | null)?.mark];
    probe.equal("the message", sent, ["kafka", "send", "marks", mark]);
  }),

  proves("LEAF-007", "has the error of a leaf that failed, and of no other", async (probe) => {
    const { trace, response } = await left(probe, "error", probe.token(), "&fail=yes");
    probe.equal("the status of the run", response.status, 500);
    const { trace: whole } = await left(probe, "error", probe.token());
    probe.equal(
      "errors where nothing failed",
      whole.leaves.filter(({ error }) => error !== null),
      [],
    );
    const errors = trace.leaves.map(({ kind, error }) => [kind, error && [error.name, error.message]]);
    const failed = ["Error", "failed as asked"];
    probe.equal("the errors", errors, [
      ["log", null],
      ["cache", null],
      ["message", null],
      ["sql", failed],
    ]);
  }),

  proves("LEAF-008", "times each leaf within its run and its call", async (probe) => {
    const { trace } = await found(probe, "times");
    const fits = trace.leaves.map(({ parentId, startUs, durationUs }) => {
      const call = trace.calls.find(({ id }) => id === parentId);
      const end = durationUs === null ? Number.NaN : startUs + durationUs;
      return (
        call !== undefined &&
        startUs >= call.startUs &&
        end <= call.startUs + (call.durationUs ?? 0) &&
        end <= trace.durationUs
      );
    });
    probe.equal("whether each fits", fits, [true]);
  }),

  proves("LEAF-008", "times leaves one after the other, and the one that takes long", async (probe) => {
    const { trace } = await left(probe, "lasting", probe.token(), "&ms=60");
    const starts = trace.leaves.map(({ startUs }) => startUs);
    const ends = trace.leaves.map(({ startUs, durationUs }) => startUs + (durationUs ?? Number.NaN));
    const inOrder = starts.every((start, at) => start > 0 && (at === 0 || start >= (ends[at - 1] ?? Number.NaN)));
    const [last = Number.NaN] = ends.slice(-1);
    const seen = [
      inOrder,
      last <= trace.durationUs,
      isLasting(trace.leaves.at(-1)?.durationUs, 60_000, trace.durationUs),
    ];
    probe.equal("whether each begins behind the one before, and the last takes its time", seen, [true, true, true]);
  }),

  proves("LEAF-009", "keeps the leaves of runs apart that go on at once", async (probe) => {
    const marks = Array.from({ length: 8 }, () => probe.token());
    const runs = await Promise.all(marks.map((mark) => left(probe, "apart", mark)));
    const keys = runs.map(({ trace }) =>
      trace.leaves.flatMap((leaf) => (leaf.kind === "cache" ? [leaf.detail.key] : [])),
    );
    probe.equal(
      "the keys that each asked for",
      keys,
      marks.map((mark) => [`marks:${mark}`]),
    );
  }),

  proves("LEAF-010", "hides secrets by name, and where else they stand", async (probe) => {
    const run = await left(probe, "secrets", probe.token());
    const { fields } = leafOf(run, "log").detail;
    const { body } = leafOf(run, "message").detail;
    const shown = [fields["password"], (body as { note?: unknown } | null)?.note];
    probe.equal("what stands in their place", shown, ["[redacted]", "[redacted]"]);
  }),
];
