/**
 * The contracts of the routes of __plural__: they validate requests, type handlers, and produce the OpenAPI document.
 */
import { contract } from "framework";
import { __variable__Input, __variable__List, __variable__Schema } from "./__file__.ts";

export const list = contract({
  operationId: "list__Type__",
  summary: "All __plural__, oldest first",
  responses: { 200: __variable__List },
});
export const add = contract({
  operationId: "add__Type__",
  summary: "Adds one of the __plural__",
  body: __variable__Input,
  responses: { 201: __variable__Schema },
});
export const show = contract({
  operationId: "show__Type__",
  summary: "One of the __plural__",
  responses: { 200: __variable__Schema },
});
export const replace = contract({
  operationId: "replace__Type__",
  summary: "Replaces one of the __plural__",
  body: __variable__Input,
  responses: { 200: __variable__Schema },
});
export const remove = contract({
  operationId: "remove__Type__",
  summary: "Removes one of the __plural__",
  responses: { 204: null },
});
