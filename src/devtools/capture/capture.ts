/**
 * Capture: turns an application's values, errors and paths into their shown form.
 *
 *   options ──▶ redactor ──▶ snapshots ──▶ errors, paths
 *
 * It knows no recorder. A recorder puts the names of objects into `names`.
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

interface CaptureSettings {
  readonly limits: CaptureLimits;
  /** `false` shows everything. */
  readonly redact: RedactOptions | false;
  readonly forms: ReadonlyMap<object, (value: object) => unknown>;
  readonly stacks: boolean;
}

/** Characters of a message that no trace holds. */
const shownChars = 2_000;

/** How the values of one application are captured. */
export class Capture {
  readonly redactor: Redactor;
  readonly snapshots: Snapshotter;
  readonly errors: ErrorInfos;
  readonly paths: ShownPaths;
  /** Undefined if no stacks are shown, and before anything is. */
  readonly stacks: Stacks | undefined;
  /** Objects that are shown only by a name. */
  readonly names: WeakMap<object, Json> = new WeakMap();
  readonly quiet: Quiet = new Quiet();
  /** The patterns of the application's routes, set when they are known. */
  patterns: () => readonly string[] = () => [];

  /** @param ofRun a name for an object of a run, asked before `names` */
  constructor(
    { limits, redact, forms, stacks }: CaptureSettings,
    promised: PromiseWarnings,
    ofRun: (value: object) => Json | undefined,
  ) {
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

  /** A text outside of a run with its secrets hidden. These are not searched elsewhere. @param limit characters of it */
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
