/**
 * Reviews: the summary on a product page, and writing one.
 */
import { Interface } from "framework";
import type { NewReview, Review, ReviewSummary } from "../domain.ts";
import type { ReviewRepository } from "../repositories/reviews.ts";
import type { Clock } from "./clock.ts";

export interface ReviewService {
  summaryOf(productId: string): Promise<ReviewSummary>;
  write(productId: string, review: NewReview): Promise<Review>;
}
export const ReviewService: Interface<ReviewService> = Interface("ReviewService");

export class CustomerReviews implements ReviewService {
  readonly #reviews: ReviewRepository;
  readonly #clock: Clock;

  constructor(reviews: ReviewRepository, clock: Clock) {
    this.#reviews = reviews;
    this.#clock = clock;
  }

  async summaryOf(productId: string): Promise<ReviewSummary> {
    const [totals, latest] = await Promise.all([this.#reviews.totals(productId), this.#reviews.latest(productId, 3)]);
    return { ...totals, latest };
  }

  write(productId: string, review: NewReview): Promise<Review> {
    return this.#reviews.add(productId, review, this.#clock.now());
  }
}
