/** Answers an OpenAI call with a stream: the handler's chunks as events, as they arrive. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Submission } from "../../core/jobs/submission.ts";
import type { JobView } from "../../engine/jobs/read/job-view.ts";
import { followStream, type StreamEvent } from "../../engine/streams/read-stream.ts";
import { chunksShown } from "../../engine/streams/shown-batches.ts";
import { submit } from "../../engine/jobs/submit.ts";
import { sendWhole, type FlowingAnswer } from "../operation/answers/answer.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call } from "../operation/operation.ts";
import { asRefusal, refuseOrMove } from "../operation/answers/refuse.ts";
import { isMoved } from "../../engine/steps/state/endpoint-moved.ts";
import { cancelUnclaimed } from "../jobs/cancel-unclaimed.ts";
import { asOutput, type ChunkOutput, outputOf } from "./chunk-text.ts";
import { EventWriter } from "./event-writer.ts";
import {
  errorText,
  failureAnswer,
  failureOfJob,
  failureOfRefusal,
  failureOfRestart,
  failureOfWait,
  failureSaid,
  type OpenAiFailure,
} from "./openai-error.ts";
import { type OpenAiPath, submitRequest } from "./read-request.ts";
import { readOutput, withJobId } from "./whole-answer.ts";

/** @throws ServiceError as `submit` */
export async function eventAnswer(
  call: Call<OpenAiPath>,
  submission: Submission,
): Promise<FlowingAnswer> {
  const { engine } = call.service;
  const job = await submit(engine, submitRequest(call, submission));
  return { flow: () => new EventFlow(call, job).run() };
}

/** One call, from the job's submission to the last event. The first event decides the HTTP status. */
class EventFlow {
  readonly #call: Call<OpenAiPath>;
  readonly #job: Job;

  constructor(call: Call<OpenAiPath>, job: Job) {
    this.#call = call;
    this.#job = job;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { service, response } = this.#call;
    const { engine } = service;
    using wait = new ClientWait(service, response);
    const late = new AbortController();
    const disarm = engine.clock.wakeAt(engine.clock.now() + LIMITS.waitMaxMs, () => late.abort());
    const headers = { "x-request-id": this.#job.id };
    const writer = new EventWriter(response, wait.signal, headers);
    const signal = AbortSignal.any([wait.signal, late.signal]);
    try {
      const ref = this.#ref;
      for await (const event of followStream(engine, ref, { from: 0, signal })) {
        if (await this.#take(event, writer)) return;
        if (writer.hasBegun) disarm();
      }
      await this.#breakOff(writer, wait.isStopping);
    } catch (error) {
      await this.#failFor(writer, error);
    } finally {
      disarm();
    }
  }

  get #ref() {
    return { endpointId: this.#job.endpointId, jobId: this.#job.id };
  }

  /** True once the answer is complete. */
  async #take(event: StreamEvent, writer: EventWriter): Promise<boolean> {
    switch (event.type) {
      case "chunks":
        for await (const chunk of chunksShown(event.batch)) {
          if (await this.#output(await outputOf(chunk), writer)) return true;
        }
        return false;
      case "restart":
        if (!writer.hasBegun) return false;
        // Written events cannot be taken back.
        await cancelUnclaimed(this.#call.service.engine, this.#ref);
        await this.#fail(writer, failureOfRestart());
        return true;
      case "still-running":
        if (writer.hasBegun) await writer.comment();
        return false;
      case "end":
        await this.#end(event.view, writer);
        return true;
    }
  }

  async #output(output: ChunkOutput, writer: EventWriter): Promise<boolean> {
    const said = writer.hasBegun ? undefined : await failureSaid(output.raw);
    if (said) {
      await this.#fail(writer, said);
      return true;
    }
    await writer.output(output);
    if (!writer.hasEnded) return false;
    await writer.end();
    return true;
  }

  async #end(view: JobView, writer: EventWriter): Promise<void> {
    const { job } = view;
    const { service, response } = this.#call;
    const output = await readOutput(service, response, view);
    if (job.status !== "COMPLETED") {
      await this.#fail(writer, failureOfJob(job));
      return;
    }
    // The handler returned its answer without yielding.
    const isReturned = job.chunkCount === 0 && output !== undefined;
    if (isReturned && (await this.#output(asOutput(output), writer))) return;
    await writer.end();
  }

  /** The client has gone, the service is stopping, or nothing came for too long. */
  async #breakOff(writer: EventWriter, isStopping: boolean): Promise<void> {
    const { service } = this.#call;
    if (isStopping) {
      const stopping = new ServiceError("shutting_down", "the service is stopping");
      await this.#fail(writer, failureOfRefusal(stopping));
      return;
    }
    await cancelUnclaimed(service.engine, this.#ref);
    await this.#fail(writer, failureOfWait(LIMITS.waitMaxMs));
  }

  /** An endpoint that has moved is asked at its new replica; an answer that has begun breaks off. */
  async #failFor(writer: EventWriter, error: unknown): Promise<void> {
    if (!isMoved(error)) return this.#fail(writer, failureOfRefusal(asRefusal(this.#call, error)));
    if (!writer.hasBegun) return refuseOrMove(this.#call, error);
    this.#call.response.destroy();
    return undefined;
  }

  async #fail(writer: EventWriter, failure: OpenAiFailure): Promise<void> {
    const { response, service } = this.#call;
    if (response.destroyed) return;
    if (writer.hasBegun) {
      await writer.event(errorText(failure.error));
      response.end();
    } else
      sendWhole(
        response,
        withJobId(failureAnswer(failure), this.#job.id),
        service.isStoppingFor(response.req),
      );
  }
}
