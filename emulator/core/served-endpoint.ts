/** An endpoint with the template its workers are made of, as the file of a handler and its config ask for them. */
import type { Endpoint } from "./endpoint.ts";
import type { Template } from "./template.ts";

export interface ServedEndpoint {
  readonly template: Template;
  readonly endpoint: Endpoint;
}
