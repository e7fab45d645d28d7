/**
 * Who buys.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Customer } from "../domain.ts";

export interface CustomerRepository {
  find(id: string): Promise<Customer | undefined>;
}
export const CustomerRepository: Interface<CustomerRepository> = Interface("CustomerRepository");

export class SqlCustomerRepository implements CustomerRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Customer | undefined> {
    const [customer] = await this.#database.query<Customer>("select id, name, email from customers where id = $1", [
      id,
    ]);
    return customer;
  }
}
