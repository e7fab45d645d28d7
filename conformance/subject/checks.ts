/**
 * The two health checks, with settable behavior.
 *
 * A hanging check is released as soon as its behavior changes, so that no case leaves a pending run.
 *
 * Spec: spec/subject.md
 */
import { HealthMiddleware } from "framework";
import type { checkModes } from "../../spec/subject.ts";

/** The settings for the behavior of a check. */
export type CheckMode = (typeof checkModes)[number];

/** A health check that the suite controls. */
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

  /** `db` belongs to readiness, the default group of a check; `disk` belongs to liveness. */
  middleware(): HealthMiddleware {
    return HealthMiddleware.builder()
      .check("db", () => this.#db.run())
      .check("disk", () => this.#disk.run(), { groups: ["liveness"] })
      .liveness("/health/live")
      .readiness("/health/ready")
      .build();
  }

  /** Returns false if there is no such check. */
  set(name: string, mode: CheckMode): boolean {
    const check = name === "db" ? this.#db : name === "disk" ? this.#disk : undefined;
    check?.set(mode);
    return check !== undefined;
  }
}
