/**
 * The beans of the subject: two small graphs with calls that are known in advance.
 *
 *   OrderController ──▶ OrderService ──▶ Catalog · Pricing · OrderRepository ──▶ Database (a class: unspied)
 *                                   └──▶ Mailer, only when the total is over 100
 *   ParallelController ──▶ Left · Middle · Right, side by side ──▶ Leaf
 *
 * Names are node ids. Left, Middle and Right yield to the event loop before they call Leaf, so the three really interleave.
 * A recorder that treats the last entered call as the parent gets it wrong.
 *
 * Spec: spec/subject.md
 */
import { setImmediate } from "node:timers/promises";
import { step } from "@framework/devtools";
import { type BeanDecorator, Beans, type Context, Interface } from "framework";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { SubjectNewOrder, type SubjectOrder } from "../../spec/subject.ts";

type NewOrder = Static<typeof SubjectNewOrder>;
type Order = Static<typeof SubjectOrder>;

interface OrderController {
  create(ctx: Context): Promise<void>;
}
interface OrderService {
  place(order: NewOrder): Promise<string>;
}
interface Catalog {
  find(item: string): { readonly item: string };
}
interface Pricing {
  quote(total: number): number;
}
interface OrderRepository {
  save(order: NewOrder): Promise<string>;
  find(id: string): Promise<Order | undefined>;
}
interface Mailer {
  send(id: string): Promise<void>;
}
interface ParallelController {
  run(ctx: Context): Promise<void>;
}
interface Branch {
  work(): Promise<string>;
}
interface Leaf {
  touch(name: string): Promise<string>;
}

/** Entered by `POST /orders`. */
export const OrderController = Interface<OrderController>("OrderController");
/** Entered by the handler of `GET /orders/{id}`, a closure. */
export const OrderRepository = Interface<OrderRepository>("OrderRepository");
/** Entered by `GET /parallel`. */
export const ParallelController = Interface<ParallelController>("ParallelController");
const OrderService = Interface<OrderService>("OrderService");
const Catalog = Interface<Catalog>("Catalog");
const Pricing = Interface<Pricing>("Pricing");
const Mailer = Interface<Mailer>("Mailer");
const Left = Interface<Branch>("Left");
const Middle = Interface<Branch>("Middle");
const Right = Interface<Branch>("Right");
const Leaf = Interface<Leaf>("Leaf");

/** Bound as a class, so the recorder does not wrap it. */
class Database {
  readonly #orders = new Map<string, Order>();

  insert({ item, total }: NewOrder): string {
    const id = `order-${this.#orders.size + 1}`;
    this.#orders.set(id, { id, item, total });
    return id;
  }

  select(id: string): Order | undefined {
    return this.#orders.get(id);
  }
}

const newOrder = Compile(SubjectNewOrder);

/** Wires all beans with the given recorder. */
export function startBeans(recorder: BeanDecorator): Beans {
  return Beans.builder()
    .bind(OrderController, (b) => orderController(b.get(OrderService)))
    .bind(OrderService, (b) => orderService(b.get(Catalog), b.get(Pricing), b.get(OrderRepository), b.get(Mailer)))
    .bind(Catalog, () => ({ find: (item) => ({ item }) }))
    .bind(Pricing, () => ({ quote: (total) => total }))
    .bind(OrderRepository, (b) => orderRepository(b.get(Database)))
    .bind(Mailer, () => ({ send: () => Promise.resolve() }))
    .bind(Database, () => new Database())
    .bind(ParallelController, (b) => parallelController([b.get(Left), b.get(Middle), b.get(Right)]))
    .bind(Left, (b) => branch("Left", b.get(Leaf)))
    .bind(Middle, (b) => branch("Middle", b.get(Leaf)))
    .bind(Right, (b) => branch("Right", b.get(Leaf)))
    .bind(Leaf, () => ({ touch: (name) => setImmediate(name) }))
    .instrument(recorder)
    .start();
}

function orderController(service: OrderService): OrderController {
  return {
    async create(ctx) {
      const { item, total } = await ctx.body(newOrder);
      ctx.status(201).json({ id: await service.place({ item, total }) });
    },
  };
}

function orderService(catalog: Catalog, pricing: Pricing, repository: OrderRepository, mailer: Mailer): OrderService {
  return {
    async place(order) {
      const { item } = catalog.find(order.item);
      const total = pricing.quote(order.total);
      const id = await repository.save({ item, total });
      if (total > 100) await mailer.send(id);
      return id;
    },
  };
}

function orderRepository(database: Database): OrderRepository {
  return {
    save: (order) => Promise.resolve(database.insert(order)),
    find: (id) =>
      step("sql", "SELECT", async (note) => {
        const order = await Promise.resolve(database.select(id));
        const statement = "select id, item, total from orders where id = $1";
        note({ system: "postgresql", statement, parameters: [id], rows: order === undefined ? 0 : 1 });
        return order;
      }),
  };
}

function parallelController(branches: readonly Branch[]): ParallelController {
  return {
    async run(ctx) {
      ctx.json(await Promise.all(branches.map((one) => one.work())));
    },
  };
}

function branch(name: string, leaf: Leaf): Branch {
  return {
    async work() {
      await setImmediate();
      return await leaf.touch(name);
    },
  };
}
