/** Timers that keep no process alive. On Deno a timer is a number, which cannot be unreferenced. */

/** Lets the process end before the timer does, if the platform supports that. */
export function unref<T>(timer: T): T {
  (Object(timer) as { unref?: () => void }).unref?.();
  return timer;
}
