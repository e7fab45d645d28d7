/**
 * Mail: written to the outbox table, from which a real shop would send it.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Mail } from "../domain.ts";

export interface Mailer {
  send(mail: Mail): Promise<void>;
  outbox(): Promise<readonly Mail[]>;
}
export const Mailer: Interface<Mailer> = Interface("Mailer", { stereotype: "component" });

/** Jean never reads her mail, so that a job that fails can be seen (see README.md). */
const full = "jean@shop.example";

export class OutboxMailer implements Mailer {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async send(mail: Mail): Promise<void> {
    if (mail.to === full) throw new Error(`452 the mailbox of ${mail.to} is full`);
    await this.#database.change("insert into outbox (recipient, subject, text) values ($1, $2, $3)", [
      mail.to,
      mail.subject,
      mail.text,
    ]);
  }

  outbox(): Promise<readonly Mail[]> {
    return this.#database.query<Mail>(`select recipient as "to", subject, text from outbox order by id`);
  }
}
