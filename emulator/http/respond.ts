/** The way of every request: admitted, performed, answered; whatever goes wrong becomes an error answer. */
import { sendWhole, type Answer } from "./answer.ts";
import { admit } from "./admission.ts";
import type { Call, Operation } from "./operation.ts";
import { refuse } from "./refuse.ts";
import { hasBody, skipBody } from "./request-body.ts";

/** Answers one request by `operation`. Never rejects. */
export async function respond<Path>(operation: Operation<Path>, call: Call<Path>): Promise<void> {
  const { service, request, response } = call;
  try {
    admit(service, request);
    if (operation.body === "skipped" && hasBody(request)) await skipBody(request, response);
    await send(call, await operation.perform(call));
  } catch (error) {
    refuse(call, error);
  }
}

async function send<Path>({ service, response }: Call<Path>, answer: Answer): Promise<void> {
  if ("flow" in answer) await answer.flow(response);
  else if (!response.destroyed) sendWhole(response, answer, service.stopping);
}
