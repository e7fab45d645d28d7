/**
 * Money: an exact amount in euro cents.
 *
 * The cents are private (`#cents`), so no caller can compute a fraction of a cent. No other code can read them either, including
 * devtools. app.ts therefore says how devtools show one:
 *
 *   Devtools.create({ snapshot: [[Money, money => ({ amount: money.amount, currency: "EUR" })]] })
 *
 * Values are never changed: every operation returns a new Money.
 */
export class Money {
  static readonly zero: Money = new Money(0);
  readonly #cents: number;

  private constructor(cents: number) {
    this.#cents = cents;
  }

  /** @throws RangeError if `cents` is not a safe integer. */
  static ofCents(cents: number): Money {
    if (!Number.isSafeInteger(cents)) throw new RangeError(`An amount is a whole number of cents, not ${cents}`);
    return new Money(cents);
  }

  /** The sum of any number of amounts. Zero without amounts. */
  static sum(amounts: Iterable<Money>): Money {
    let cents = 0;
    for (const amount of amounts) cents += amount.#cents;
    return new Money(cents);
  }

  get cents(): number {
    return this.#cents;
  }

  /** Euros with two decimals, e.g. `12.50`. */
  get amount(): string {
    return (this.#cents / 100).toFixed(2);
  }

  minus(other: Money): Money {
    return new Money(this.#cents - other.#cents);
  }

  times(quantity: number): Money {
    return Money.ofCents(this.#cents * quantity);
  }

  /** `rate` percent of this amount, rounded to the nearest cent. */
  percent(rate: number): Money {
    return Money.ofCents(Math.round((this.#cents * rate) / 100));
  }

  isAtLeast(other: Money): boolean {
    return this.#cents >= other.#cents;
  }

  toString(): string {
    return `${this.amount} EUR`;
  }

  /** The JSON form for clients. */
  toJSON(): { readonly amount: string; readonly currency: "EUR" } {
    return { amount: this.amount, currency: "EUR" };
  }
}
