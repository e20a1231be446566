/** Runs a handler on one job, in any of its four forms, to its end. */
import type { Buffer } from "node:buffer";
import type { FailedHead } from "../../pipe/frame-kinds.ts";
import { checkInput, checkOutput, InvalidInputError } from "./check-schema.ts";
import { chunkLines, yieldedJson } from "../output/chunk-body.ts";
import { LIMITS } from "../../protocol/limits.ts";
import type { Handler } from "../contract.ts";
import type { ChunkWindow } from "../output/chunk-window.ts";
import type { JobContext } from "./job-context.ts";
import { isLargeOutput, uploadedOutput } from "../output/large-output.ts";
import { Collected, InvalidOutputError, outputJson } from "../output/output.ts";
import { plainLine } from "../output/plain-line.ts";
import { textOf } from "../output/stream-text.ts";
import type { StandardSchema } from "../module/standard-schema.ts";
import { describeThrown } from "../thrown.ts";

/** What an invocation needs of the handler. */
export interface Invocable {
  readonly run: Handler;
  readonly aggregate: boolean;
  readonly largeOutput?: "fail" | "upload";
  readonly input?: StandardSchema | undefined;
  readonly output?: StandardSchema | undefined;
}

/** Dependencies of an invocation besides the handler. */
export interface Invocation {
  readonly context: JobContext;
  readonly window: ChunkWindow;
  /** Sends the next chunk, a line of JSON. */
  sendChunk(line: string | Buffer): void;
}

export type InvocationResult =
  | { readonly kind: "completed"; readonly output: string | undefined }
  | { readonly kind: "failed"; readonly failure: FailedHead; readonly thrown: unknown };

/** Maximum time that a generator runs before the event loop gets a turn to send its chunks. */
const BREATH_MS = 1;

/** Never rejects: whatever the handler throws is part of the result. */
export async function invoke(
  handler: Invocable,
  invocation: Invocation,
): Promise<InvocationResult> {
  const { context } = invocation;
  try {
    if (handler.input !== undefined) {
      context.replaceInput(await checkInput(handler.input, context.job.input));
      // The job may have been stopped during the check of an asynchronous schema.
      if (context.isAborted) return { kind: "completed", output: undefined };
    }
    const returned: unknown = await handler.run(context.job, context);
    const iterator = asIterator(returned);
    const json =
      iterator === undefined
        ? await checkedJson(handler, returned)
        : await pullAll(iterator, invocation, handler);
    const isUploaded = handler.largeOutput === "upload" && isLargeOutput(json);
    const output = isUploaded ? await uploadedOutput(json, context) : json;
    const open = context.openTransfers();
    if (open !== undefined) await open;
    return { kind: "completed", output };
  } catch (thrown) {
    const type = failureType(thrown);
    const { message, stack } = describeThrown(thrown);
    // The stack of our own errors shows the runtime, not the handler.
    const shown = type !== "handler_error" || stack === undefined ? {} : { stack };
    return { kind: "failed", failure: { type, message, ...shown }, thrown };
  } finally {
    const open = context.openTransfers();
    context.end();
    if (open !== undefined) await open;
  }
}

function failureType(thrown: unknown): FailedHead["type"] {
  if (thrown instanceof InvalidOutputError) return "invalid_output";
  return thrown instanceof InvalidInputError ? "invalid_input" : "handler_error";
}

/** Maximum size of an output. A larger output fails the job. */
function outputLimit({ largeOutput }: Invocable): number {
  return largeOutput === "upload" ? LIMITS.uploadedOutputMaxBytes : LIMITS.outputMaxBytes;
}

async function checkedJson(handler: Invocable, output: unknown): Promise<string | undefined> {
  const value = handler.output === undefined ? output : await checkOutput(handler.output, output);
  return outputJson(value, outputLimit(handler));
}

/** An iterator whose `next` may return a value or a promise, as `for await` allows. */
interface AnyIterator {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(value?: unknown): unknown;
}

/** Generators, other iterators, async iterables and streams stream; arrays, strings and maps do not. */
function asIterator(value: unknown): AnyIterator | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isIterator = "next" in value && typeof value.next === "function";
  if (isIterator && (Symbol.asyncIterator in value || Symbol.iterator in value)) {
    // Checked above as far as possible without calling `next`.
    return value as AnyIterator;
  }
  return isAsyncIterable(value) ? textOf(value) : undefined;
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === "function";
}

/** Sends each yield, as fast as receipts allow. Returns the output: all yields, or the iterator's result. */
async function pullAll(
  iterator: AnyIterator,
  invocation: Invocation,
  handler: Invocable,
): Promise<string | undefined> {
  const { context, window } = invocation;
  const collected = handler.aggregate ? new Collected(outputLimit(handler)) : undefined;
  let index = 0;
  let breathedAt = performance.now();
  for (;;) {
    const step = await iterator.next();
    if (step.done === true) return allJson(handler, collected, step.value);
    try {
      for (const line of linesOf(step.value, index, context.attempt, collected)) {
        const room = window.room();
        if (room !== undefined) await room;
        if (context.isAborted) break;
        window.sent(line.length);
        invocation.sendChunk(line);
        index++;
      }
    } catch (error) {
      await iterator.return?.();
      throw error;
    }
    if (performance.now() - breathedAt >= BREATH_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      breathedAt = performance.now();
    }
    if (context.isAborted) {
      await iterator.return?.();
      return undefined;
    }
  }
}

/** Returns the lines of the chunks of one yield. Keeps the JSON text if yields are collected for the output. */
function linesOf(
  value: unknown,
  index: number,
  attempt: number,
  collected: Collected | undefined,
): readonly (string | Buffer)[] {
  const plain = collected === undefined ? plainLine(value, index, attempt) : undefined;
  if (plain !== undefined) return [plain];
  const yielded = yieldedJson(value);
  collected?.add(yielded.json);
  return chunkLines(yielded, index, attempt);
}

/** All yields as in the stream, if they are collected; otherwise the iterator's result. */
async function allJson(
  handler: Invocable,
  collected: Collected | undefined,
  returned: unknown,
): Promise<string | undefined> {
  if (collected === undefined) return checkedJson(handler, returned);
  const json = collected.json();
  return handler.output === undefined ? json : checkedJson(handler, JSON.parse(json));
}
