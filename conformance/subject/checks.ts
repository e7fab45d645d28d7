/**
 * Checks: the two health checks, which behave as they were last set to.
 *
 * A check that hangs is let go as soon as it is set to something else, so that no case leaves a run behind.
 *
 * Spec: spec/subject.md
 */
import { HealthMiddleware } from "framework";
import type { checkModes } from "../../spec/subject.ts";

/** How a check can be set to behave. */
export type CheckMode = (typeof checkModes)[number];

/** A health check on a string. */
class Puppet {
  #mode: CheckMode = "up";
  #release: () => void = () => undefined;
  #released: Promise<void> = this.#hold();

  set(mode: CheckMode): void {
    this.#mode = mode;
    this.#release();
    this.#released = this.#hold();
  }

  run(): boolean | Promise<boolean | void> {
    switch (this.#mode) {
      case "up":
        return true;
      case "down":
        return false;
      case "throw":
        throw new Error("the check was set to throw");
      case "reject":
        return Promise.reject(new Error("the check was set to reject"));
      case "hang":
        return this.#released;
    }
  }

  #hold(): Promise<void> {
    return new Promise((resolve) => (this.#release = resolve));
  }
}

/** The checks by name. */
export class Checks {
  readonly #db = new Puppet();
  readonly #disk = new Puppet();

  /** `db` belongs to readiness, the group of a check that names none; `disk` to liveness. */
  middleware(): HealthMiddleware {
    return HealthMiddleware.builder()
      .check("db", () => this.#db.run())
      .check("disk", () => this.#disk.run(), { groups: ["liveness"] })
      .liveness("/health/live")
      .readiness("/health/ready")
      .build();
  }

  /** Returns false when there is no such check. */
  set(name: string, mode: CheckMode): boolean {
    const check = name === "db" ? this.#db : name === "disk" ? this.#disk : undefined;
    check?.set(mode);
    return check !== undefined;
  }
}
