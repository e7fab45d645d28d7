/**
 * Bean errors: one class, a stable code for each mistake, and a message with advice.
 *
 *   "OrderService → OrderRepository → Database: it is not bound. Add .bind(Database, …) to the builder."
 *    └── the chain of requests that led there ──┘
 *
 * The codes are API, so they are never renamed. docs/beans.md lists them, and a test compares the two.
 */

/** Every code of a BeanError with its meaning. */
export const beanErrorCodes = {
  BEAN_TYPE: "the key is neither an interface token nor a class, or the token is malformed",
  BEAN_DUPLICATE: "the type is bound already",
  BEAN_MISSING: "the type is not bound",
  BEAN_CYCLE: "the bean needs itself while it is being created",
  BEAN_ASYNC: "start() or buildLazy() was called though a bean is bound with bindAsync",
  BEAN_NOT_READY: "the bean is bound with bindAsync and was asked for before it was built",
  BEAN_PROMISE: "a factory of bind, or bindInstance, gave a promise",
  BEAN_NOT_AN_OBJECT: "a factory or bindInstance gave undefined or another value that is not an object",
  BEAN_FACTORY: "the factory threw; its error is the cause",
  BEAN_CLOSED: "the container is closed",
} as const;

/** A stable, machine-readable name of the mistake. */
export type BeanErrorCode = keyof typeof beanErrorCodes;

/** A mistake in the binding or use of beans. */
export class BeanError extends Error {
  override readonly name: string = "BeanError";
  readonly code: BeanErrorCode;
  /** Names of the beans from the first requested one to the one that failed. A route that asked for the first is in front. */
  readonly chain: readonly string[];
  /**
   * Set when `start()` or `startAsync()` failed. It settles when the beans created so far are closed again, with the errors of
   * closing. Never rejects.
   */
  cleanup: Promise<readonly unknown[]> | undefined;
  readonly #sentence: string;

  /** The message is `chain`, then `sentence`. */
  constructor(code: BeanErrorCode, chain: readonly string[], sentence: string, cause?: unknown) {
    super(`${chain.join(" → ")}: ${sentence}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.chain = chain;
    this.#sentence = sentence;
    this.cleanup = undefined;
  }

  /** The message without the chain: the error and the advice. */
  get sentence(): string {
    return this.#sentence;
  }
}
