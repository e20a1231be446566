/** The way of every request: admitted, within its rate limit, performed, answered; whatever goes wrong becomes an error answer. */
import type { RateLimitClass } from "../../runtime/protocol/rate-limits.ts";
import type { ApiKey } from "../core/api-key.ts";
import { admit } from "./admission.ts";
import { sendWhole, type Answer } from "./answer.ts";
import { refusingAs } from "./dialect.ts";
import type { Call, Operation } from "./operation.ts";
import { refuse } from "./refuse.ts";
import { hasBody, skipBody } from "./request-body.ts";

/** Answers one request by `operation`. Never rejects. */
export async function respond<Path>(operation: Operation<Path>, call: Call<Path>): Promise<void> {
  const { service, request, response } = call;
  try {
    const key = admit(service, request, operation.access);
    if (key && operation.rateLimit !== undefined) passLimit(operation.rateLimit, call, key);
    if (operation.body === "skipped" && hasBody(request)) await skipBody(request, response);
    await send(call, await operation.perform(call));
  } catch (error) {
    refuse({ ...call, dialect: refusingAs(call.dialect, operation.refusal) }, error);
  }
}

/** Comes before the body, so that nothing of one that is refused is asked for. */
function passLimit(
  limitClass: RateLimitClass,
  { service, path, response }: Call<unknown>,
  key: ApiKey,
): void {
  if (typeof path !== "object" || path === null || !("endpointId" in path)) return;
  if (typeof path.endpointId !== "string") return;
  const caller = { limitClass, endpointId: path.endpointId, keyId: key.id };
  service.limits?.pass(caller, response);
}

async function send<Path>({ service, response }: Call<Path>, answer: Answer): Promise<void> {
  if ("flow" in answer) await answer.flow(response);
  else if (!response.destroyed) sendWhole(response, answer, service.stopping);
}
