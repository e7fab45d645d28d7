/**
 * Stock alerts: a plugin with a panel in the dashboard that lists the products that are running out.
 *
 *   devtools ──▶ read ──▶ Database ──▶ the products with few left, the fewest first
 */
import { definePlugin, type Plugin } from "framework";
import { Database } from "./database/database.ts";

export interface StockAlertsOptions {
  /** Products with a smaller stock are listed. */
  readonly below: number;
}

interface LowStock {
  readonly product: string;
  readonly name: string;
  readonly left: number;
}

/** The plugin. */
export const stockAlerts: Plugin<StockAlertsOptions> = definePlugin<StockAlertsOptions>({
  name: "stock-alerts",
  panel: {
    title: "Low stock",
    kind: "table",
    read: (scope, { below }) =>
      scope.bean(Database).query<LowStock>(
        `select id as product, name, quantity as left from stock join products on id = product_id
         where quantity < $1 order by quantity, id limit 50`,
        [below],
      ),
  },
});
