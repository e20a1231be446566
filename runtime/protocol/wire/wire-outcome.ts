/** Converts outcomes and failures to protobuf and back. */
import { defined } from "../without-undefined.ts";
import { type Failure, isFailureType } from "../failure.ts";
import type * as proto from "./messages.ts";
import { type Outcome, outputOf } from "../outcome.ts";
import type { OutcomeReport } from "../session.ts";
import { WireError } from "./wire-error.ts";
import { required, requiredLease, requiredText } from "./wire-fields.ts";

/** `OutcomeKind` of `worker.proto`. */
export const OUTCOME_KINDS = {
  completed: 1,
  failed: 2,
  "timed-out": 3,
  lost: 4,
  "handed-back": 5,
  stopped: 6,
} as const satisfies Record<Outcome["kind"], number>;

const kindNames = new Map<number, Outcome["kind"]>(
  // Object.entries forgets the key type; the keys are exactly those of the table above.
  Object.entries(OUTCOME_KINDS).map(([name, number]) => [number, name as Outcome["kind"]]),
);

export function encodeOutcome({ jobId, leaseToken, outcome }: OutcomeReport): proto.Outcome {
  const failure = "failure" in outcome ? encodeFailure(outcome.failure) : undefined;
  const output = outputOf(outcome);
  return { jobId, leaseToken, kind: OUTCOME_KINDS[outcome.kind], output, failure };
}

export function decodeOutcome(message: proto.Outcome): OutcomeReport {
  return { ...requiredLease(message, "Outcome"), outcome: outcomeOf(message) };
}

function outcomeOf(message: proto.Outcome): Outcome {
  const kind = kindNames.get(message.kind ?? 0);
  const output = message.output === undefined ? undefined : { output: message.output };
  switch (kind) {
    case undefined:
      throw new WireError(
        "Outcome.kind",
        `is ${message.kind ?? 0}, which this version does not know`,
      );
    case "completed":
      return { kind, ...output };
    case "failed":
      return {
        kind,
        failure: decodeFailure(required(message.failure, "Outcome.failure")),
        ...output,
      };
    case "timed-out":
    case "lost":
      return { kind, failure: decodeFailure(required(message.failure, "Outcome.failure")) };
    case "handed-back":
    case "stopped":
      return { kind };
  }
}

/** The sent form of a failure: without `workerId`, because the service knows the worker of a session. */
export function encodeFailure(failure: Failure): proto.Failure {
  const { type, message, stack, exitCode, signal, outOfMemory, lastLogLines = [] } = failure;
  return { type, message, stack, exitCode, signal, outOfMemory, lastLogLines: [...lastLogLines] };
}

export function decodeFailure(message: proto.Failure): Failure {
  const { stack, exitCode, signal, outOfMemory, lastLogLines } = message;
  const type = requiredText(message.type, "Failure.type");
  if (!isFailureType(type)) {
    throw new WireError("Failure.type", `is "${type}", which this version does not know`);
  }
  return {
    type,
    message: requiredText(message.message, "Failure.message"),
    ...defined({ stack, exitCode, signal, outOfMemory }),
    ...(lastLogLines.length > 0 && { lastLogLines }),
  };
}
