/**
 * Money: an exact amount in euro cents.
 *
 * The cents are private (`#cents`), so no caller can make a fraction of a cent out of them; it also
 * means that no other code can look inside, devtools included. app.ts tells devtools how to show one:
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

  /** @throws RangeError when `cents` is not a safe integer. */
  static ofCents(cents: number): Money {
    if (!Number.isSafeInteger(cents)) throw new RangeError(`An amount is a whole number of cents, not ${cents}`);
    return new Money(cents);
  }

  /** Of any number of amounts; nothing sums to zero. */
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

  /** `rate` percent of this, rounded to the nearest cent. */
  percent(rate: number): Money {
    return Money.ofCents(Math.round((this.#cents * rate) / 100));
  }

  isAtLeast(other: Money): boolean {
    return this.#cents >= other.#cents;
  }

  toString(): string {
    return `${this.amount} EUR`;
  }

  /** What a client of the shop sees. */
  toJSON(): { readonly amount: string; readonly currency: "EUR" } {
    return { amount: this.amount, currency: "EUR" };
  }
}
