/**
 * Shipping: another service, called over HTTP (examples/shipping). An order is paid even if the service is unreachable.
 */
import { Interface } from "framework";
import type { Order } from "../domain.ts";

export interface ShippingGateway {
  /** Books a parcel and returns its number, or undefined if the service returns none. */
  book(order: Order): Promise<string | undefined>;
}
export const ShippingGateway: Interface<ShippingGateway> = Interface("ShippingGateway", { stereotype: "component" });

const patienceMs = 2_000;

export class HttpShipping implements ShippingGateway {
  readonly #url: string;

  /** @param url the URL of the service, e.g. `http://127.0.0.1:8081` */
  constructor(url: string) {
    this.#url = url;
  }

  async book({ id, lines }: Order): Promise<string | undefined> {
    const items = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    try {
      const response = await fetch(`${this.#url}/parcels`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ order: id, items }),
        signal: AbortSignal.timeout(patienceMs),
      });
      if (response.status !== 201) return undefined;
      const { parcel } = (await response.json()) as { readonly parcel: string };
      return parcel;
    } catch {
      return undefined;
    }
  }
}
