/** What operations of live workers share: the calling worker, and answers to polls. */
import type { ApiKey } from "../../core/access/api-key.ts";
import { checkOpens } from "../../core/access/key-scope.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { LiveWorker } from "../../live/live-worker.ts";
import type { ExternalRef } from "../../engine/workers/external/external-workers.ts";
import type { LiveWorkers } from "../../live/live-workers.ts";
import { bareKey } from "../operation/access/admission.ts";
import {
  type Answer,
  type FlowingAnswer,
  NO_CONTENT,
  type WholeAnswer,
} from "../operation/answers/answer.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call } from "../operation/operation.ts";
import { refuse } from "../operation/answers/refuse.ts";
import { sendAnswer } from "../operation/answers/send-answer.ts";

export interface WorkerPath extends ExternalRef {}

export interface WorkerJobPath extends WorkerPath {
  readonly jobId: string;
}

/** Minimum time before an error is answered: workers poll again right after any answer. */
const PAUSE_MS = 1_000;

/**
 * The calling worker; an unknown one may register with a key.
 * @throws ServiceError unauthorized, endpoint_not_found, wrong_endpoint_type
 */
export function callingWorker(call: Call<WorkerPath>): LiveWorker {
  const { path } = call;
  const { key, token } = credentialOf(call);
  if (key !== undefined) return workersOf(call).register(path, key.id);
  return workersOf(call).withToken(token, path);
}

/**
 * The worker that sends a report; undefined for an unknown one, which has no job.
 * @throws ServiceError unauthorized
 */
export function reportingWorker(call: Call<WorkerPath>): LiveWorker | undefined {
  const { path } = call;
  const { key, token } = credentialOf(call);
  return key === undefined ? workersOf(call).withToken(token, path) : workersOf(call).find(path);
}

/** A poll: waits for items, answers them, and takes them back if the answer was not sent. */
export interface Poll<Item> {
  readonly wait: (worker: LiveWorker, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly answer: (items: readonly Item[]) => WholeAnswer;
  readonly takeBack: (worker: LiveWorker, items: readonly Item[]) => Promise<void> | void;
  /** Called after the answer was written. */
  readonly written?: (worker: LiveWorker, items: readonly Item[]) => void;
}

/** Answers 204 if nothing came. Errors are answered after a pause. */
export async function answerPoll<Item>(call: Call<WorkerPath>, poll: Poll<Item>): Promise<Answer> {
  const { service, response } = call;
  if (service.stopping) {
    await pause(call);
    return NO_CONTENT;
  }
  try {
    const worker = callingWorker(call);
    using wait = new ClientWait(service, response);
    const items = await poll.wait(worker, wait.signal);
    if (items.length === 0) return NO_CONTENT;
    return delivered(call, poll.answer(items), (isWritten) =>
      isWritten ? poll.written?.(worker, items) : poll.takeBack(worker, items),
    );
  } catch (error) {
    await pause(call);
    throw error;
  }
}

/** @param over called when the answer has ended, with whether all of it was written */
function delivered(
  call: Call<unknown>,
  answer: WholeAnswer,
  over: (isWritten: boolean) => Promise<void> | void,
): FlowingAnswer {
  return {
    async flow(response) {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      response.once("close", resolve);
      let isSent = false;
      try {
        if (response.destroyed) resolve();
        else await sendAnswer(call.service, response, answer);
        isSent = true;
      } catch (error) {
        refuse(call, error);
      }
      await closed;
      await over(isSent && response.writableFinished);
    },
  };
}

/** Waits for a moment, or until the client has gone. */
async function pause({ service, response }: Call<unknown>): Promise<void> {
  const { realClock } = service.engine;
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = realClock.wakeAt(realClock.now() + PAUSE_MS, resolve);
  response.once("close", resolve);
  if (response.destroyed) resolve();
  await promise;
  disarm();
  response.removeListener("close", resolve);
}

/**
 * A key with the right scope, or a text that may be a worker's token.
 * @throws ServiceError unauthorized, key_expired, insufficient_scope
 */
function credentialOf({ service: { keys }, path: { endpointId }, request }: Call<WorkerPath>): {
  readonly key?: ApiKey;
  readonly token: string;
} {
  const token = bareKey(request.headers.authorization);
  if (token === undefined) {
    const message = "the key is missing; send it as Authorization: KEY";
    throw new ServiceError("unauthorized", message, { topic: { type: "key_missing" } });
  }
  const key = keys.findGood(token);
  if (key === undefined) return { token };
  checkOpens(key, { part: "workers", reads: false, endpointId });
  return { key, token };
}

function workersOf({ service }: Call<unknown>): LiveWorkers {
  if (service.liveWorkers) return service.liveWorkers;
  throw new ServiceError("not_found", "this service has no workers of the live dialect");
}
