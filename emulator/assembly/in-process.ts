/** Makes the launcher of workers that run in this process; loaded only for endpoints that are functions. */
import type { HandlerFunctionsOptions } from "../handlers/handler-functions.ts";
import type { LocalLine, LocalPeer } from "../../runtime/source/local-session.ts";
import type { WorkerTokens } from "../engine/workers/worker-tokens.ts";
import type { OpenSession } from "../engine/workers/worker-session.ts";
import { createInProcessLauncher } from "../launch/in-process-launcher.ts";
import type { Launcher } from "../launch/launcher.ts";
import type { EmulatorOptions } from "../options.ts";

/** One launcher, or none. @throws InitError for an invalid handler */
export async function inProcessLauncher(
  { endpoints, workerLine }: Pick<EmulatorOptions, "endpoints" | "workerLine">,
  options: Omit<HandlerFunctionsOptions, "endpoints">,
): Promise<readonly Launcher[]> {
  if (endpoints === undefined) return [];
  const { HandlerFunctions } = await import("../handlers/handler-functions.ts");
  const functions = new HandlerFunctions({ ...options, endpoints });
  const launcher = createInProcessLauncher({
    has: (template) => functions.has(template),
    start: (order, line) => functions.start(order, line),
    line: ({ workerId, endpoint }, line) =>
      workerLine?.({ workerId, endpointId: endpoint.id, line }),
  });
  return [launcher];
}

/** Opens the service's side of a session of the worker with that token; a sentence if the token is not valid. */
export function openLocalSession(
  tokens: WorkerTokens,
  openSession: OpenSession,
  workerToken: string,
  { send }: LocalLine,
): LocalPeer | string {
  const worker = tokens.find(workerToken);
  if (worker === undefined) return "the worker token is not good (any more)";
  const session = openSession(worker, send);
  return {
    receive: (report) => session.receive(report),
    disconnected: () => session.disconnected(),
  };
}
