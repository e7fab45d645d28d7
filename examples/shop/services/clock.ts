/**
 * The current time. A bean, so that a test can stop it.
 */
import { Interface } from "framework";

export interface Clock {
  now(): Date;
}
export const Clock: Interface<Clock> = Interface("Clock", { stereotype: "component" });

export const systemClock: Clock = { now: () => new Date() };
