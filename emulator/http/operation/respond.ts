/** Handles every request: admission, rate limit, the operation, the answer; every failure becomes an error answer. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Disarm } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { OpenSpan, Tracer } from "../../trace/tracer.ts";
import { admit } from "./access/admission.ts";
import { performNoted } from "./access/audit.ts";
import { watchKey } from "./access/watch-key.ts";
import { refreshRecords } from "./refresh-records.ts";
import { type Call, needOf, type Operation } from "./operation.ts";
import { refuseOrMove, refuse } from "./answers/refuse.ts";
import { hasBody, isThere, refuseLongBody, skipBody } from "./requests/request-body.ts";
import { sendAnswer } from "./answers/send-answer.ts";

/** Answers one request by `operation`, with this `name`. Never rejects. */
export async function respond<Path>(
  name: string,
  operation: Operation<Path>,
  call: Call<Path>,
): Promise<void> {
  const { response, service } = call;
  const { metrics, tracer } = service.engine;
  const startedAt = performance.now();
  const isTraced = tracer && call.rules.isTraced;
  const span = isTraced ? beginSpan(tracer, name, operation, call) : undefined;
  await answer(name, operation, span ? { ...call, traceparent: span.traceparent } : call);
  const code = response.headersSent ? String(response.statusCode) : "none";
  metrics.requestAnswered(name, code, performance.now() - startedAt);
  if (span) endSpan(span, code);
}

function beginSpan<Path>(
  tracer: Tracer,
  name: string,
  { path }: Operation<Path>,
  { request, dialect, service, traceparent: parent }: Call<Path>,
): OpenSpan {
  const route = `${dialect.basePath}${path}`;
  const attributes = {
    "client.address": service.callers.seen(request).client,
    "http.request.method": request.method ?? "",
    "http.route": route,
    "sv.operation": name,
  };
  return tracer.begin({ name: `${request.method} ${route}`, kind: "server", parent, attributes });
}

/** Ends the span. Errors of the client do not count as errors of the span. */
function endSpan(span: OpenSpan, code: string): void {
  if (code === "none") return span.end({ error: "the client has gone" });
  const error = code.startsWith("5") ? `answered ${code}` : undefined;
  span.end({ attributes: { "http.response.status_code": Number(code) }, error });
}

async function answer<Path>(
  name: string,
  operation: Operation<Path>,
  call: Call<Path>,
): Promise<void> {
  const { service, request, response } = call;
  const expectsBody = hasBody(request);
  if (expectsBody) await Promise.resolve();
  const disarm = expectsBody && !isThere(request) ? limitBody(call) : undefined;
  try {
    if (operation.maxBodyBytes !== undefined) refuseLongBody(operation.maxBodyBytes, request);
    const need = needOf(call);
    const key = admit(service, request, need);
    if (service.ownership) await refreshRecords(service, service.ownership, operation, call.path);
    // Counted before the body is read, because the body of a refused request is not read.
    if (key && operation.hasQuota) service.limits?.quotas.pass(key.id, response);
    const endpointId = typeof need === "object" ? need.endpointId : undefined;
    const { rateLimit: limitClass } = operation;
    if (key && limitClass !== undefined && endpointId !== undefined)
      service.limits?.pass({ limitClass, endpointId, keyId: key.id }, response);
    if (operation.body === undefined && expectsBody) await skipBody(request, response);
    const ready =
      key && call.rules.isAudited
        ? await performNoted(name, operation, call, key)
        : await operation.perform(call);
    if (!("flow" in ready)) return await sendAnswer(service, response, ready);
    // When the key becomes invalid, the response ends. Its reader reconnects and is refused.
    await ready.flow(response).finally(key && watchKey(service, key, () => response.destroy()));
  } catch (error) {
    await refuseOrMove(call, error);
  } finally {
    disarm?.();
  }
}

/** Refuses a request whose body has not arrived in time. */
function limitBody(call: Call<unknown>): Disarm {
  const { realClock } = call.service.engine;
  const disarm = realClock.wakeAt(realClock.now() + LIMITS.requestMs, () => {
    refuse(call, new ServiceError("request_timeout", "the request was not complete in time"));
  });
  call.request.once("end", disarm);
  return disarm;
}
