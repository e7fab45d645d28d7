/**
 * Customers.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Account, Customer } from "../domain.ts";

export interface CustomerRepository {
  find(id: string): Promise<Customer | undefined>;
  accountOf(email: string): Promise<Account | undefined>;
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

  async accountOf(email: string): Promise<Account | undefined> {
    const [account] = await this.#database.query<Account>(
      'select id, name, email, password_hash as "passwordHash" from customers where email = $1',
      [email],
    );
    return account;
  }
}
