/**
 * Recorded beans: in a test, chosen beans of an application return the recorded results of a run.
 *
 *   recordedBeans({ beans, calls }) ──▶ decorator ──▶ createApp({ decorator }) ──▶ a request ──▶ check()
 *                                         └ a call of a chosen bean: its recorded outcome
 *
 * A call that was not recorded throws, and `check` throws too, even if the application swallowed the first error. Devtools write
 * such tests (*Save as test*). This is the only part of devtools that runs in them.
 *
 * Spec: spec/replay.md
 */
import { observeCalls, type BeanDecorator, type BeanInfo } from "framework";
import { readOptions, type DevtoolsOptions } from "./options.ts";
import { noRedaction } from "./capture/redact.ts";
import type { RecordedCall } from "./record/replay/flaws.ts";
import { Replay } from "./record/replay/replay.ts";
import { Reviver, SeenErrors } from "./capture/revive.ts";
import { Snapshotter } from "./capture/snapshot.ts";
import type { Callable } from "./record/spy/parameters.ts";
import type { SnapshotSettings } from "./capture/walk.ts";
import type { TaggedValue } from "./run/shapes.ts";

export type { RecordedCall } from "./record/replay/flaws.ts";

/** A recorded run. */
export interface RecordedRun {
  /** Ids of the beans that return recorded results. */
  readonly beans: readonly string[];
  /** Their calls, in the order of their starts. */
  readonly calls: readonly RecordedCall[];
}

/** How instances of classes are shown and made: the same options as those of the application's devtools. */
export type RecordedOptions = Pick<DevtoolsOptions, "revive" | "snapshot">;

/** Beans that return recorded results. */
export interface RecordedBeans {
  /** For `Beans.builder().instrument(…)`. Factories run as usual. Calls of chosen beans do not reach the made instance. */
  readonly decorator: BeanDecorator;
  /** @throws Error when a call was not recorded, when a recorded call was not made, and when a bean is missing */
  check(): void;
}

/**
 * Replaces beans by their recorded calls.
 *
 * @example
 * ```ts skip="devtools write it"
 * const recorded = recordedBeans({ beans: ["TaskRepository"], calls: [ … ] });
 * const { app } = await createApp({ decorator: recorded.decorator });
 * const response = await app.fetch(new Request("http://localhost/tasks/1"));
 * recorded.check();
 * ```
 * @throws RangeError naming the option, its value and what is allowed
 */
export function recordedBeans(run: RecordedRun, options: RecordedOptions = {}): RecordedBeans {
  const settings = readOptions(options as DevtoolsOptions<never>, {});
  const reviver = new Reviver(settings.makers, new SeenErrors());
  const replay = new Replay({ instance: "test", sequence: 1, notes: [], ...run }, reviver);
  const names = new WeakMap<object, TaggedValue & { readonly $bean: string }>();
  const snapshots = new Snapshotter({
    limits: whole,
    redactor: noRedaction,
    forms: settings.forms,
    nameOf: (value) => names.get(value),
    quietly: (work) => work(),
  });
  const missing = new Set(run.beans);
  const decorate = <T extends object>(bean: T, info: BeanInfo): T => {
    const decorated = missing.has(info.id) ? recorded(bean, info, replay, snapshots) : bean;
    if (decorated !== bean) missing.delete(info.id);
    for (const one of [bean, decorated]) names.set(one, { $bean: info.id });
    return decorated;
  };
  return { decorator: { decorate }, check: () => check(replay, missing) };
}

/** The test contains the recorded values in full, so the compared values are in full too. */
const whole: SnapshotSettings["limits"] = {
  stringChars: Infinity,
  depth: Infinity,
  items: Infinity,
  nodes: Infinity,
  snapshotBytes: Infinity,
};

/** The bean with its calls looked up, or the bean itself if it cannot be wrapped. */
function recorded<T extends object>(bean: T, info: BeanInfo, replay: Replay, snapshots: Snapshotter): T {
  if (!info.isInterface) return bean;
  return observeCalls(bean, {
    where: () => replay,
    call: (_where, { name, method, self, args, wrapper }) => {
      const shown = snapshots.takeAll(args).json;
      const run: Callable =
        replay.instead({ bean: info.id, method: name, args: shown, self: wrapper, code: method }) ?? method;
      return Reflect.apply(run, self, args) as unknown;
    },
  });
}

function check({ ended, left }: Replay, missing: ReadonlySet<string>): void {
  if (ended !== null) throw new Error(`the recording was left: ${ended.reason}`);
  const [bean] = missing;
  if (bean !== undefined)
    throw new Error(`the bean ${bean} was recorded, and there is none of that name that is bound as an interface`);
  const [call] = left;
  if (call !== undefined) throw new Error(`${call.bean}.${call.method}() was recorded, and has not been called`);
}
