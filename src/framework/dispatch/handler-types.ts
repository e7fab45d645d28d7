/**
 * The types of a route's handler: a function, or the method of a bean, checked against the route's parameters and contract.
 *
 *   [Orders, "show"] ──▶ the name of a method that fits, or an object with the mismatches as its members: the compiler's
 *                        message has them
 *
 * Spec: spec/contracts.md, spec/routing.md
 */
import type { BeanType } from "../beans/types.ts";
import type { ReturnOf } from "../contract/contract.ts";
import type { BodyOf } from "../contract/schema.ts";
import type { Context, ContextOf, Responded } from "../http/context.ts";
import type { HttpError } from "../internal/errors.ts";

/** `"id" | "rest"` of `"/a/{id}/*rest"`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Rest extends ""
    ? Name
    : Name | ParamsOf<Rest>
  : Path extends `${string}/*${infer Name}`
    ? Name
    : string extends Path
      ? string
      : never;

/** A handler. Its result is sent, unless it is `undefined` or the context. */
export type Handler<Param extends string = string, C = unknown> = (ctx: ContextOf<C, Param>) => Returned<C>;

/**
 * A handler that may be a generator of the declared events or rows. `Y` is the type of its items. `Returned` accepts the
 * generator too, but there the compiler would widen `yield { event: "tick" }` to a text.
 */
export type YieldingHandler<Param extends string, C, Y> = (ctx: ContextOf<C, Param>) => AsyncIterable<Y & YieldOf<C>>;

/** The items of the declared events and rows. */
type YieldOf<C> = "responses" extends keyof C
  ? ReturnOf<C["responses"]> extends infer Value
    ? Value extends AsyncIterable<infer Item>
      ? Item
      : never
    : never
  : never;

/** The allowed results of a handler: any value, or those of the contract's 2xx responses, if it declares its parts. */
export type Returned<C> = "responses" extends keyof C
  ? string extends keyof C
    ? unknown
    : undefined extends C["responses"]
      ? unknown
      : Answer<ReturnOf<C["responses"]>>
  : unknown;

type Answer<Value> = Sent | Value | Promise<Sent | Value>;

/** Values that define themselves how they are sent. */
type Sent = Responded | Response | HttpError | undefined | void;

/** The methods of `T` that take a context of these parameters and that contract. */
export type HandlerMethod<T, Param extends string = string, C = unknown> = {
  [K in keyof T]: T[K] extends (ctx: ContextOf<C, Param>) => Returned<C> ? K : never;
}[keyof T];

/**
 * The name of a method that fits the route. Otherwise the mismatches, which the compiler's message lists. A name that the bean
 * does not have is checked against those that fit.
 */
export type MethodName<T, M extends PropertyKey, Param extends string, C> =
  MemberOf<T, M> extends (ctx: ContextOf<C, Param>) => Returned<C>
    ? M
    : [keyof T, HandlerMethod<T, Param, C>] extends [M, infer Fitting]
      ? [Fitting] extends [never]
        ? Mismatch<MemberOf<T, M>, Param, C>
        : Fitting
      : Mismatch<MemberOf<T, M>, Param, C>;

type MemberOf<T, M extends PropertyKey> = M extends keyof T ? T[M] : undefined;

/** An editor's completions: the names of a bean's members, or any name when it has none, so that a message can say so. */
export type MemberName<T> = [keyof T] extends [never] ? PropertyKey : keyof T;

/** Why a member of a bean cannot be the route's handler. */
type Mismatch<Member, Param extends string, C> = Member extends (ctx: ContextOf<C, Param>) => infer R
  ? { readonly "the method returns": R; readonly "the contract wants": WantedOf<C> }
  : Member extends (...args: infer Args) => unknown
    ? Sides<Args extends readonly [infer Taken] ? Told<Taken> : Args, Told<ContextOf<C, Param>>>
    : { readonly "the method takes": "nothing: it is no method"; readonly "the member is": Member };

/** Both sides, of two contexts only the members that differ: a compiler shortens a long message. */
type Sides<Taken, Given> = Taken extends ToldContext
  ? {
      readonly "the method takes": { readonly [K in DifferenceOf<Taken, Given>]: Taken[K] };
      readonly "the route gives": { readonly [K in DifferenceOf<Taken, Given>]: Given[K & keyof Given] };
    }
  : { readonly "the method takes": Taken; readonly "the route gives": Given };

/** The members that differ. A method whose path parameter is any `string` fits each path. */
type DifferenceOf<T, Other> = {
  [K in keyof T]: string extends T[K]
    ? never
    : [T[K], Other[K & keyof Other]] extends [Other[K & keyof Other], T[K]]
      ? never
      : K;
}[keyof T];

/** A context as a message shows it: its path parameters, the declared parts of its input, its replies by status. */
type Told<Ctx> =
  Ctx extends Context<infer Param, infer In, infer R>
    ? {
        readonly pathParams: [Param] extends [never] ? "none" : Param;
        readonly input: {
          readonly [
            K in keyof In as unknown extends In[K] ? never : In[K] extends undefined ? never : Exclude<K, "lastEventId">
          ]: In[K];
        };
        readonly reply: number extends R[0] ? "any" : { readonly [Each in R as Each[0] & number]: SentBy<Each> };
      }
    : Ctx;
interface ToldContext {
  readonly pathParams: unknown;
  readonly input: unknown;
  readonly reply: unknown;
}

/** The value of a reply as its schema types it: `Sendable` lists that type as the result of `toJSON`. */
type SentBy<R> = R extends readonly [number, infer Value]
  ? Value extends { toJSON(key: string): infer T }
    ? T
    : never
  : null;

/** The 2xx responses of a contract, as their schemas type them. */
type WantedOf<C> = C extends { readonly responses: infer R }
  ? { [S in keyof R]: `${S & number}` extends `2${string}` ? BodyOf<R[S]> : never }[keyof R]
  : unknown;

/** A handler, or `[BeanType, "method"]`: the method of that bean. */
export type HandlerOf<Param extends string, T extends object, M extends PropertyKey, C = unknown> =
  | Handler<Param, C>
  | readonly [BeanType<T>, M & MethodName<T, M, Param, C>];
