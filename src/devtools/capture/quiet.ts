/**
 * Quiet: a developer's own function runs, such as a form of a class, and what it calls is not recorded.
 */
export class Quiet {
  isOn = false;

  /** Runs it. Returns what it returns and throws what it throws. */
  while<R>(run: () => R): R {
    const before = this.isOn;
    this.isOn = true;
    try {
      return run();
    } finally {
      this.isOn = before;
    }
  }
}
