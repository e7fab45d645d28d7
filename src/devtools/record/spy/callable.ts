/** Callable: any function, as it is passed around and called through Reflect.apply. */
import type { MethodCall } from "framework";

/** Any function. */
export type Callable = MethodCall["method"];
