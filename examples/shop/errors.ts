/**
 * What can go wrong in a shop.
 *
 * Most are HttpErrors: thrown anywhere, sent as problem+json. OutOfStockError is a plain error of the
 * domain, which knows nothing of HTTP; app.ts says what it means there with `app.onError`.
 */
import { HttpError } from "framework";

/** 404: there is no such thing. */
export class UnknownError extends HttpError {
  constructor(what: string, id: string) {
    super(404, `There is no ${what} ${id}`, { code: "unknown" });
  }
}

/** 409: it is there, but in a state that does not allow this. */
export class ConflictError extends HttpError {
  constructor(message: string) {
    super(409, message, { code: "conflict" });
  }
}

/** 402: the bank said no. */
export class PaymentDeclinedError extends HttpError {
  constructor(reason: string) {
    super(402, `The payment was declined: ${reason}`, { code: "payment_declined" });
  }
}

/** Fewer left than asked for. */
export class OutOfStockError extends Error {
  override readonly name = "OutOfStockError";
  readonly productId: string;

  constructor(productId: string, wanted: number) {
    super(`There are fewer than ${wanted} of ${productId} left`);
    this.productId = productId;
  }
}
