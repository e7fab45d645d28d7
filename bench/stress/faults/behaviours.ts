/**
 * Behaviours: the five ways in which code that the app was handed goes wrong.
 */

/** The ways, in the order of the table. */
export const behaviours = ["throws", "rejects", "hangs", "wrong type", "slow"] as const;

/** One of the ways. */
export type Behaviour = (typeof behaviours)[number];

/** Does that; `sound` is what it returns when it is only slow (20 ms of the thread, as bad code does). */
export function misbehave<T>(behaviour: Behaviour, sound: () => T): T {
  switch (behaviour) {
    case "throws":
      throw new Error("fault: throws");
    case "rejects":
      return Promise.reject(new Error("fault: rejects")) as never;
    case "hangs":
      return new Promise(() => undefined) as never;
    case "wrong type":
      return 42 as never;
    case "slow": {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return sound();
    }
  }
}
