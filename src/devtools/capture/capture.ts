/**
 * Capture: everything by which values, errors and paths of an application become what may be shown of them.
 *
 *   options ──▶ redactor ──▶ snapshots ──▶ errors, paths
 *
 * It knows nobody: whoever records says in `names` by which name an object is shown.
 *
 * Spec: spec/trace.md
 */
import type { Json } from "../run/shapes.ts";
import { ErrorInfos } from "./error-info.ts";
import type { PromiseWarnings } from "./promise-warnings.ts";
import { Quiet } from "./quiet.ts";
import { createRedactor, noRedaction, type RedactOptions, type Redactor } from "./redact.ts";
import { KnownSecrets } from "./secrets/known.ts";
import { ShownPaths } from "./http/shown-paths.ts";
import { Snapshotter } from "./snapshot.ts";
import { Stacks } from "./stacks.ts";
import type { CaptureLimits } from "./walk.ts";

/** How values are captured. */
interface CaptureSettings {
  readonly limits: CaptureLimits;
  /** `false` shows everything. */
  readonly redact: RedactOptions | false;
  readonly forms: ReadonlyMap<object, (value: object) => unknown>;
  readonly stacks: boolean;
}

/** What is shown of a message that no trace holds, in characters. */
const shownChars = 2_000;

/** How the values of one application are captured. */
export class Capture {
  readonly redactor: Redactor;
  readonly snapshots: Snapshotter;
  readonly errors: ErrorInfos;
  readonly paths: ShownPaths;
  /** Undefined where no stacks are shown, nor then where anything is. */
  readonly stacks: Stacks | undefined;
  readonly limits: CaptureLimits;
  /** Objects that are shown by a name alone. */
  readonly names: WeakMap<object, Json> = new WeakMap();
  readonly quiet: Quiet = new Quiet();
  /** The patterns of the application's routes; set once they are known. */
  patterns: () => readonly string[] = () => [];

  /** @param ofRun a name for what belongs to a run, asked before `names` */
  constructor(
    { limits, redact, forms, stacks }: CaptureSettings,
    promised: PromiseWarnings,
    ofRun: (value: object) => Json | undefined,
  ) {
    this.limits = limits;
    this.redactor = redact === false ? noRedaction : createRedactor(redact, promised);
    this.snapshots = new Snapshotter({
      limits,
      redactor: this.redactor,
      forms,
      nameOf: (value) => ofRun(value) ?? this.names.get(value),
      quietly: (run) => this.quiet.while(run),
    });
    this.stacks = stacks ? new Stacks(process.cwd(), (text, limit) => this.hidden(text, limit)) : undefined;
    this.errors = new ErrorInfos(this.snapshots, this.stacks);
    this.paths = new ShownPaths(this.redactor, this.snapshots, () => this.patterns());
  }

  /** A text of no run with its secrets hidden; they are not looked for elsewhere. @param limit characters of it */
  hidden(text: string, limit: number = shownChars): string {
    const { redactor } = this;
    const { secrets } = redactor;
    redactor.secrets = new KnownSecrets();
    try {
      return redactor.text(text, limit);
    } finally {
      redactor.secrets = secrets;
    }
  }
}
