/** An endpoint whose handler is a function of the caller's own process: what `startEmulator`'s `endpoints` holds. */
import type { Concurrency, Context, Job, SetupContext } from "../../runtime/handler/contract.ts";
import type { StandardSchema } from "../../runtime/handler/module/standard-schema.ts";
import type { LocalEndpoint } from "./local-endpoint.ts";

/** Any handler function, whatever it says its input and state are: as a method's, its parameters may be narrower. */
type HandlerFunction = { call(job: Job, context: Context): unknown }["call"];

/** What `defineHandler` returns, or an object like it, whatever its types say. */
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

/** A handler as a module would export it by default: a function, or what `defineHandler` returns. */
export type InProcessHandler = HandlerFunction | HandlerObject;

export interface FunctionEndpoint extends Omit<LocalEndpoint, "id" | "type"> {
  /** Runs in this very process, with its closures, mocks and coverage. */
  readonly handler: InProcessHandler;
  /**
   * How long a job that was cancelled or has timed out keeps its place if its handler does not stop; after that the handler
   * is abandoned: it runs on, and nothing it does counts. ms, default 5,000.
   */
  readonly graceMs?: number;
}
