/**
 * The errors of the shop.
 *
 * Most are HttpErrors: thrown anywhere, sent as problem+json. OutOfStockError is a plain error of the domain, which is
 * independent
 * of HTTP; app.ts maps it to a response with `app.onError`.
 */
import { HttpError } from "framework";

/** 404: the resource does not exist. */
export class UnknownError extends HttpError {
  constructor(what: string, id: string) {
    super(404, `There is no ${what} ${id}`, { code: "unknown" });
  }
}

/** 409: it exists, but its state does not allow this. */
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

/** Fewer left than ordered. */
export class OutOfStockError extends Error {
  override readonly name = "OutOfStockError";
  readonly productId: string;

  constructor(productId: string, wanted: number) {
    super(`There are fewer than ${wanted} of ${productId} left`);
    this.productId = productId;
  }
}
