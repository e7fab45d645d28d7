/**
 * Orders with their lines.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { NewOrder, Order, OrderLine, OrderStatus } from "../domain.ts";
import { Money } from "../money.ts";

export interface OrderRepository {
  find(id: string): Promise<Order | undefined>;
  ofCustomer(customerId: string): Promise<readonly Order[]>;
  /** Paid orders from one moment (inclusive) to another (exclusive). */
  paidBetween(from: Date, to: Date): Promise<readonly Order[]>;
  create(order: NewOrder, placedAt: Date): Promise<Order>;
  setStatus(id: string, status: OrderStatus): Promise<void>;
  /** Was it ever ordered? */
  mention(productId: string): Promise<boolean>;
}
export const OrderRepository: Interface<OrderRepository> = Interface("OrderRepository");

interface LineRow {
  readonly productId: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitCents: number;
}

interface OrderRow {
  readonly id: string;
  readonly customer_id: string;
  readonly status: OrderStatus;
  readonly discount_cents: number;
  readonly total_cents: number;
  readonly placed_at: Date;
  readonly lines: readonly LineRow[];
}

const select = `
  select o.*, (
    select coalesce(jsonb_agg(jsonb_build_object('productId', l.product_id, 'name', l.name,
      'quantity', l.quantity, 'unitCents', l.unit_price_cents) order by l.position), '[]')
    from order_lines l where l.order_id = o.id
  ) as lines
  from orders o`;

export class SqlOrderRepository implements OrderRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Order | undefined> {
    const [row] = await this.#database.query<OrderRow>(`${select} where o.id = $1`, [id]);
    return row && toOrder(row);
  }

  async ofCustomer(customerId: string): Promise<readonly Order[]> {
    const rows = await this.#database.query<OrderRow>(`${select} where o.customer_id = $1 order by o.id`, [customerId]);
    return rows.map(toOrder);
  }

  async paidBetween(from: Date, to: Date): Promise<readonly Order[]> {
    const rows = await this.#database.query<OrderRow>(
      `${select} where o.status = 'paid' and o.placed_at >= $1 and o.placed_at < $2 order by o.id`,
      [from, to],
    );
    return rows.map(toOrder);
  }

  async create(order: NewOrder, placedAt: Date): Promise<Order> {
    const [row] = await this.#database.query<{ id: string }>(
      `insert into orders (id, customer_id, status, discount_cents, total_cents, placed_at)
       values ('o-' || nextval('order_number'), $1, 'pending', $2, $3, $4) returning id`,
      [order.customerId, order.discount.cents, order.total.cents, placedAt],
    );
    if (row === undefined) throw new Error("The insert returned no row");
    for (const [position, line] of order.lines.entries()) await this.#addLine(row.id, position, line);
    return { ...order, id: row.id, status: "pending", placedAt };
  }

  async setStatus(id: string, status: OrderStatus): Promise<void> {
    await this.#database.change("update orders set status = $2 where id = $1", [id, status]);
  }

  async mention(productId: string): Promise<boolean> {
    const rows = await this.#database.query("select from order_lines where product_id = $1 limit 1", [productId]);
    return rows.length === 1;
  }

  async #addLine(orderId: string, position: number, line: OrderLine): Promise<void> {
    await this.#database.change(
      `insert into order_lines (order_id, position, product_id, name, quantity, unit_price_cents)
       values ($1, $2, $3, $4, $5, $6)`,
      [orderId, position, line.productId, line.name, line.quantity, line.unitPrice.cents],
    );
  }
}

function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    customerId: row.customer_id,
    status: row.status,
    lines: row.lines.map(({ unitCents, ...line }) => ({ ...line, unitPrice: Money.ofCents(unitCents) })),
    discount: Money.ofCents(row.discount_cents),
    total: Money.ofCents(row.total_cents),
    placedAt: row.placed_at,
  };
}
