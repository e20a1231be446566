/** Answers an OpenAI call without a stream: with the only output of the job. */
import type { ServerResponse } from "node:http";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import type { Job } from "../../core/jobs/job.ts";
import { closePieces, type PieceInHand } from "../../core/jobs/opened-payload.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Submission } from "../../core/jobs/submission.ts";
import { ownTurn } from "../../engine/limits/own-turn.ts";
import type { JobView, WaitUses } from "../../engine/jobs/read/job-view.ts";
import { wholePayload } from "../../engine/jobs/read/show-payload.ts";
import { readStream } from "../../engine/streams/read-stream.ts";
import { chunksShown } from "../../engine/streams/shown-batches.ts";
import { submitAndWait } from "../../engine/jobs/submit.ts";
import type { WholeAnswer } from "../operation/answers/answer.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Call } from "../operation/operation.ts";
import type { HttpService } from "../operation/service.ts";
import { takeRoom } from "../operation/answers/reserve-memory.ts";
import { cancelUnclaimed } from "../jobs/cancel-unclaimed.ts";
import { outputOf } from "./chunk-text.ts";
import {
  failureAnswer,
  failureOfJob,
  failureOfOutput,
  failureOfWait,
  failureSaid,
} from "./openai-error.ts";
import { type OpenAiPath, submitRequest } from "./read-request.ts";

const EMPTY_LIST = /^\s*\[\s*\]\s*$/;

/** @throws ServiceError as `submit`; shutting_down if the service stops before the job has ended */
export async function wholeAnswer(
  call: Call<OpenAiPath>,
  submission: Submission,
): Promise<WholeAnswer<PieceInHand>> {
  const { service, path, response } = call;
  const { engine } = service;
  const request = submitRequest(call, submission);
  using wait = new ClientWait(service, response);
  const leftMs = Math.max(0, LIMITS.waitMaxMs - (call.forwarded?.waitedMs ?? 0));
  const view = await submitAndWait(engine, request, leftMs, wait);
  const { id, status } = view.job;
  if (isTerminal(status)) {
    const output = await readOutput(service, response, view);
    return withJobId(await answerOf(engine, { job: view.job, output }, wait.signal), id);
  }
  await closePieces([view.output]);
  if (wait.isStopping) {
    throw new ServiceError("shutting_down", "the service is stopping; the job goes on");
  }
  await cancelUnclaimed(engine, { endpointId: path.endpointId, jobId: id });
  return withJobId(failureAnswer(failureOfWait(LIMITS.waitMaxMs)), id);
}

/** Clients of the OpenAI API name the request by this header in error reports. */
export function withJobId(
  answer: WholeAnswer<PieceInHand>,
  jobId: string,
): WholeAnswer<PieceInHand> {
  return { ...answer, headers: { ...answer.headers, "x-request-id": jobId } };
}

/** Reads the whole output, because it has to be inspected. */
export async function readOutput(
  service: HttpService,
  response: ServerResponse,
  { output }: JobView,
): Promise<Uint8Array | undefined> {
  if (output === undefined || output instanceof Uint8Array) return output;
  try {
    await takeRoom(service, response, output.sizeBytes);
  } catch (error) {
    await closePieces([output]);
    throw error;
  }
  return wholePayload(output);
}

/** A job that has ended, with its output in memory. */
interface ReadJob {
  readonly job: Job;
  readonly output: Uint8Array | undefined;
}

async function answerOf(
  engine: WaitUses,
  view: ReadJob,
  signal: AbortSignal,
): Promise<WholeAnswer<PieceInHand>> {
  const { job } = view;
  if (job.status !== "COMPLETED") return failureAnswer(failureOfJob(job));
  const output = returnedOutput(view) ?? (await onlyChunk(engine, view, signal));
  if (output === undefined) {
    const message = `the job has ${job.chunkCount} chunks and no output, but the client asked for one answer`;
    return failureAnswer(failureOfOutput(message));
  }
  const answer = (await onlyItem(output)) ?? output;
  const said = await failureSaid(answer);
  return said ? failureAnswer(said) : { status: 200, pieces: [answer] };
}

/** Also undefined for the empty list that live generator workers send when their yields are not collected. */
function returnedOutput({ job, output }: ReadJob): Uint8Array | undefined {
  if (output === undefined || job.chunkCount === 0) return output;
  const isEmptyList = EMPTY_LIST.test(new TextDecoder("latin1").decode(output.subarray(0, 64)));
  return isEmptyList ? undefined : output;
}

/** The only yield of a handler whose yields are not collected. */
async function onlyChunk(
  engine: WaitUses,
  { job }: ReadJob,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (job.chunkCount !== 1) return undefined;
  const ref = { endpointId: job.endpointId, jobId: job.id };
  const { batches } = await readStream(engine, ref, { from: 0, holdMs: 0, signal });
  for (const batch of batches) {
    for await (const chunk of chunksShown(batch)) return (await outputOf(chunk)).raw;
  }
  return undefined;
}

/** The only item of an array, which is how one collected yield looks; undefined for any other output. */
async function onlyItem(json: Uint8Array): Promise<Uint8Array | undefined> {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const start = text.indexOf("[");
  if (start === -1 || text.toString("latin1", 0, start).trim() !== "") return undefined;
  const item = text.subarray(start + 1, text.lastIndexOf("]"));
  // The text between the brackets is one item if it is valid JSON.
  const { ok } = await new SlicedScan(ownTurn).json(item, { keep: [] });
  return ok ? item : undefined;
}
