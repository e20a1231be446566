/** An endpoint with a function of the caller's process as its handler: an entry in `endpoints` of `startEmulator`. */
import type { Concurrency, Context, Job, SetupContext } from "../../runtime/handler/contract.ts";
import type { StandardSchema } from "../../runtime/handler/module/standard-schema.ts";
import type { LocalEndpoint } from "./local-endpoint.ts";

/** Any handler function, with any types of input and state: a method, so that TypeScript allows narrower parameters. */
type HandlerFunction = { call(job: Job, context: Context): unknown }["call"];

/** The result of `defineHandler`, or an object like it, with any types. */
interface HandlerObject {
  readonly run: HandlerFunction;
  readonly input?: StandardSchema | undefined;
  readonly output?: StandardSchema | undefined;
  readonly concurrency?: Concurrency;
  readonly aggregate?: boolean;
  readonly largeOutput?: "fail" | "upload";
  readonly setup?: (context: SetupContext) => unknown;
  readonly dispose?: (state: never) => unknown;
}

/** A handler as the default export of a module: a function, or the result of `defineHandler`. */
export type InProcessHandler = HandlerFunction | HandlerObject;

export interface FunctionEndpoint extends Omit<LocalEndpoint, "id" | "type"> {
  /** Runs in this very process, with its closures, mocks and coverage. */
  readonly handler: InProcessHandler;
  /**
   * Time that a cancelled or timed out job keeps its place if its handler does not stop, ms. After it the handler is abandoned: it
   * runs on, but its results are ignored. Default: 5,000.
   */
  readonly graceMs?: number;
}
