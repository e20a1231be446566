/** Workers in this process, for endpoints that are functions: their launcher, and their sessions with the service. */
import type { HandlerFunctionsOptions } from "../../handlers/handler-functions.ts";
import type { LocalServiceSide, LocalWorkerSide } from "../../../runtime/source/local-session.ts";
import type { WorkerTokens } from "../../engine/workers/worker-tokens.ts";
import type { OpenSession } from "../../engine/workers/session/worker-session.ts";
import { createInProcessLauncher } from "../../launch/in-process-launcher.ts";
import type { Launcher } from "../../launch/launcher.ts";
import type { EmulatorOptions } from "../../options.ts";

/** Makes the launcher of workers in this process. Empty if no endpoint is a function. @throws InitError for an invalid handler */
export async function inProcessLaunchers(
  { endpoints, workerLine }: Pick<EmulatorOptions, "endpoints" | "workerLine">,
  options: Omit<HandlerFunctionsOptions, "endpoints">,
): Promise<readonly Launcher[]> {
  if (endpoints === undefined) return [];
  // Loaded on demand, because most services have no functions.
  const { HandlerFunctions } = await import("../../handlers/handler-functions.ts");
  const functions = new HandlerFunctions({ ...options, endpoints });
  const launcher = createInProcessLauncher({
    has: (template) => functions.has(template),
    start: (order, writeLine) => functions.start(order, writeLine),
    line: ({ workerId, endpoint }, line) =>
      workerLine?.({ workerId, endpointId: endpoint.id, line }),
  });
  return [launcher];
}

/** Opens a session for the worker with that token. Returns the service's side of it, or a sentence if the token is not valid. */
export function openLocalSession(
  tokens: WorkerTokens,
  openSession: OpenSession,
  workerToken: string,
  { send }: LocalWorkerSide,
): LocalServiceSide | string {
  const worker = tokens.find(workerToken);
  if (worker === undefined) return "the worker token is not valid (any more)";
  return openSession(worker, send);
}
