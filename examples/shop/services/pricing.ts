/**
 * Today's price of a product, and the discount of a large order.
 */
import { Interface } from "framework";
import type { Product, Quote } from "../domain.ts";
import { Money } from "../money.ts";
import type { PromotionRepository } from "../repositories/promotions.ts";

export interface PricingService {
  quote(product: Product): Promise<Quote>;
}
export const PricingService: Interface<PricingService> = Interface("PricingService");

export class PromotionPricing implements PricingService {
  readonly #promotions: PromotionRepository;

  constructor(promotions: PromotionRepository) {
    this.#promotions = promotions;
  }

  async quote(product: Product): Promise<Quote> {
    const promotionPercent = await this.#promotions.percentOff(product.category);
    const price = product.price.minus(product.price.percent(promotionPercent));
    return { list: product.price, promotionPercent, price };
  }
}

export interface DiscountService {
  /** The discount for an order of this size. */
  discountOn(subtotal: Money): Money;
}
export const DiscountService: Interface<DiscountService> = Interface("DiscountService");

/** 5 percent, 10 from 1,000 EUR. */
export class VolumeDiscount implements DiscountService {
  discountOn(subtotal: Money): Money {
    return subtotal.percent(subtotal.isAtLeast(Money.ofCents(100_000)) ? 10 : 5);
  }
}
