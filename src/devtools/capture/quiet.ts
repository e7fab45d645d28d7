/**
 * Runs a developer's own function, such as a form of a class, without recording its calls.
 */
export class Quiet {
  isOn = false;

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
