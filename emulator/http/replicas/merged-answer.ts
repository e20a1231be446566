/** Answers merged from the shares of all replicas. */
import { areInHand } from "../../core/jobs/opened-payload.ts";
import type { QueryParameters } from "../../core/input/query-parameters.ts";
import { type Answer, joined, jsonAnswer } from "../operation/answers/answer.ts";
import type { Gather, Operation } from "../operation/operation.ts";

/**
 * The operation with an answer for all replicas, if it supports that.
 * @param others asks the other replicas for their shares
 */
export function gathering<Path>(
  operation: Operation<Path>,
  others: () => Promise<readonly unknown[]>,
): Operation<Path> {
  const { gather } = operation;
  if (gather === undefined) return operation;
  return {
    ...operation,
    async perform(call) {
      if (gather.isNeeded?.(call.query) === false) return operation.perform(call);
      const [own, shares] = await Promise.all([operation.perform(call), others()]);
      const value = valueOf(own);
      return value === undefined ? own : jsonAnswer(gather.join(value, shares));
    },
  };
}

/** Merges answers that are objects with this list. */
export function listsOf(name: string): Gather {
  return {
    join: (own, shares) => ({
      ...(own as object),
      [name]: [own, ...shares].flatMap((share) => (share as Record<string, unknown[]>)[name] ?? []),
    }),
  };
}

interface Listed {
  readonly id: string;
  readonly endpointId?: string;
  readonly workers?: readonly unknown[];
}

const includesWorkers = ({ includeWorkers }: QueryParameters) => includeWorkers === "true";

/** Endpoints, each with its workers at all replicas. */
export const workersOfEndpoints: Gather = {
  isNeeded: includesWorkers,
  join: (own, shares) =>
    (own as readonly Listed[]).map((endpoint) => ({
      ...endpoint,
      workers: [own, ...shares]
        .flatMap((share) => share as readonly Listed[])
        .filter(({ id }) => id === endpoint.id)
        .flatMap(({ workers = [] }) => workers),
    })),
};

/** Pods, and workers of all replicas, which have an endpoint. */
export const podsAndWorkers: Gather = {
  isNeeded: includesWorkers,
  join: (own, shares) => [
    ...(own as readonly Listed[]),
    ...shares
      .flatMap((share) => share as readonly Listed[])
      .filter(({ endpointId }) => endpointId !== undefined),
  ],
};

function valueOf(answer: Answer): unknown {
  if (!("pieces" in answer) || answer.status !== 200 || !areInHand(answer.pieces)) return undefined;
  return JSON.parse(joined(answer.pieces).toString()) as unknown;
}
