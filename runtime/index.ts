/** `sv-runtime`: what a handler's module imports. */
import type { Handler, HandlerDefinition } from "./handler/contract.ts";

export { chunk, type ChunkWithMetrics } from "./handler/chunk.ts";
export type {
  Context,
  Handler,
  HandlerDefinition,
  Job,
  JobLog,
  LogFields,
  S3Config,
} from "./handler/contract.ts";

/**
 * Gives a handler its types: `export default defineHandler<Input>((job) => …)`, or with options
 * `export default defineHandler({ concurrency: 4, run: (job) => … })`. Options given here win over the module's named
 * exports `concurrency`, `aggregate` and `setup`. The value is returned as it is.
 */
export function defineHandler<Input = unknown, Output = unknown>(
  handler: Handler<Input, Output>,
): Handler<Input, Output>;
export function defineHandler<Input = unknown, Output = unknown>(
  definition: HandlerDefinition<Input, Output>,
): HandlerDefinition<Input, Output>;
export function defineHandler<Input, Output>(
  handler: Handler<Input, Output> | HandlerDefinition<Input, Output>,
): Handler<Input, Output> | HandlerDefinition<Input, Output> {
  return handler;
}
