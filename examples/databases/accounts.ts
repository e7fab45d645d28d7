/**
 * The beans of the example: accounts in a repository, and a service that moves money between two of them.
 */
import { type AsyncBeansBuilder, type Framework, Interface, NotFoundError } from "framework";
import type { Transactions } from "./transactions.ts";

/** An account. */
export interface Account {
  readonly owner: string;
  readonly cents: number;
}

/** Where accounts are stored; there is one for each library. */
export interface AccountRepository {
  add(account: Account): Promise<void>;
  find(owner: string): Promise<Account | undefined>;
  /** Adds to the balance; `false` when there is no such account. */
  change(owner: string, cents: number): Promise<boolean>;
}
/** The bean's key. */
export const AccountRepository: Interface<AccountRepository> = Interface("AccountRepository");

/** What a library brings: the beans `Transactions` and `AccountRepository`, and the responses to its errors. */
export interface Store {
  bind(builder: AsyncBeansBuilder): AsyncBeansBuilder;
  mapErrors(app: Framework): void;
}

/** Moves money. */
export interface TransferService {
  transfer(from: string, to: string, cents: number): Promise<void>;
}
/** The bean's key. */
export const TransferService: Interface<TransferService> = Interface("TransferService");

/** Both accounts change, or neither does. */
export class AtomicTransfers implements TransferService {
  readonly #transactions: Transactions;
  readonly #accounts: AccountRepository;

  constructor(transactions: Transactions, accounts: AccountRepository) {
    this.#transactions = transactions;
    this.#accounts = accounts;
  }

  transfer(from: string, to: string, cents: number): Promise<void> {
    return this.#transactions.run(async () => {
      await this.#change(to, cents);
      await this.#change(from, -cents);
    });
  }

  async #change(owner: string, cents: number): Promise<void> {
    if (!(await this.#accounts.change(owner, cents))) throw new NotFoundError(`${owner} has no account`);
  }
}
