/**
 * The payment gateway, which simulates a bank. It declines the card `visa-declined`, like a bank's test card.
 */
import { Interface } from "framework";
import { PaymentDeclinedError } from "../errors.ts";
import type { Money } from "../money.ts";

export interface PaymentGateway {
  /** @throws PaymentDeclinedError (402) */
  charge(card: string, amount: Money, reference: string): Promise<{ readonly receipt: string }>;
}
export const PaymentGateway: Interface<PaymentGateway> = Interface("PaymentGateway", { stereotype: "component" });

export class TestBank implements PaymentGateway {
  async charge(card: string, _amount: Money, reference: string): Promise<{ readonly receipt: string }> {
    if (card === "visa-declined") throw new PaymentDeclinedError("insufficient funds");
    return { receipt: `receipt-${reference}` };
  }
}
