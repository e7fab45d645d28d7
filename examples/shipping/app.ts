/**
 * Shipping, a small service that books parcels. `make dev` starts it with the shop, which calls it for each order. In the
 * dashboard its beans appear below the call.
 *
 *   POST /parcels ──▶ ParcelController ──▶ CarrierService, which carrier ──▶ ParcelRepository
 */
import { Devtools, step } from "@framework/devtools";
import { Beans, contract, Framework, Interface, type Logger, NotFoundError } from "framework";
import { z } from "zod";

interface Parcel {
  readonly parcel: string;
  readonly order: string;
  readonly carrier: string;
}

interface ParcelRepository {
  add(order: string, carrier: string): Parcel;
  find(parcel: string): Parcel | undefined;
}
interface CarrierService {
  /** The cheapest carrier that accepts this many items. */
  choose(items: number): Promise<string>;
}
interface ParcelController {
  book(order: string, items: number): Promise<Parcel>;
  show(parcel: string): Parcel;
}
const ParcelRepository = Interface<ParcelRepository>("ParcelRepository");
const CarrierService = Interface<CarrierService>("CarrierService");
const ParcelController = Interface<ParcelController>("ParcelController");

const carriers: readonly (readonly [name: string, most: number])[] = [
  ["bicycle", 2],
  ["van", 20],
  ["truck", Number.POSITIVE_INFINITY],
];

/** Keeps them in memory until it stops. */
class MemoryParcels implements ParcelRepository {
  readonly #parcels = new Map<string, Parcel>();

  add(order: string, carrier: string): Parcel {
    const made: Parcel = { parcel: `parcel-${this.#parcels.size + 1}`, order, carrier };
    this.#parcels.set(made.parcel, made);
    return made;
  }

  find(parcel: string): Parcel | undefined {
    return this.#parcels.get(parcel);
  }
}

/** Simulates a cache of prices: a step that the dashboard shows. */
const choose = (items: number): Promise<string> =>
  step("cache", "prices", async (note) => {
    const [carrier = "truck"] = carriers.find(([, most]) => items <= most) ?? [];
    note({ command: "get", key: `price:${carrier}`, hit: true });
    return await Promise.resolve(carrier);
  });

const booking = contract({ body: z.strictObject({ order: z.string().min(1), items: z.int().min(1) }) });

/** Builds the service, ready to start. */
export function createShipping(logger?: Logger): Framework {
  const devtools = Devtools.create({ name: "shipping" });
  const beans = Beans.builder()
    .bind(ParcelRepository, () => new MemoryParcels())
    .bind(CarrierService, () => ({ choose }))
    .bind(ParcelController, (b) => {
      const [parcels, carrier] = [b.get(ParcelRepository), b.get(CarrierService)];
      return {
        book: async (order, items) => parcels.add(order, await carrier.choose(items)),
        show(parcel) {
          const found = parcels.find(parcel);
          if (found === undefined) throw new NotFoundError(`There is no parcel ${parcel}`);
          return found;
        },
      };
    })
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ logger }).beans(beans);
  app
    .post("/parcels", { ...booking, beans: [ParcelController] }, async (ctx) => {
      const { order, items } = ctx.input.body;
      ctx.log.info("booking", { order, items });
      return ctx.status(201).json(await ctx.get(ParcelController).book(order, items));
    })
    .get("/parcels/{parcel}", { beans: [ParcelController] }, (ctx) =>
      ctx.get(ParcelController).show(ctx.pathParam("parcel")),
    );
  devtools.install(app, beans);
  return app;
}
