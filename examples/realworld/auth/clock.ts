/**
 * The time, as a bean, so that tests can stop it.
 */
import { Interface } from "framework";

/** Tells the time. */
export interface Clock {
  now(): Date;
}
/** The token of the bean. */
export const Clock: Interface<Clock> = Interface("Clock", { stereotype: "component" });

/** The real one. */
export const systemClock: Clock = { now: () => new Date() };
