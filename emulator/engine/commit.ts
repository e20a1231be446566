/** The way every change goes: a step in a transaction, and after the commit what the step asked for. */
import { ServiceError } from "../core/service-error.ts";
import { type Payload, PayloadDamagedError, type StoreTransaction } from "../store/store.ts";
import {
  StoreClosedError,
  StoreDamagedError,
  StoreFullError,
  StoreLostError,
  StoreUnusableError,
} from "../core/store-error.ts";
import { Effects } from "./effects.ts";
import { releaseEffects } from "./release-effects.ts";
import type { EngineContext } from "./context.ts";

/**
 * Runs `step` in a transaction; resolves with its value when that is durable and its effects were performed. Of the
 * `staged` payloads those the step did not store are given back.
 *
 * @throws ServiceError storage_full, storage_failed, shutting_down, or what the step threw.
 */
export async function commit<T>(
  engine: EngineContext,
  step: (tx: StoreTransaction, effects: Effects) => Promise<T>,
  staged: readonly (Payload | undefined)[] = [],
): Promise<T> {
  const effects = new Effects();
  let value: T;
  try {
    value = await engine.store.transact((tx) => step(tx, effects));
  } catch (error) {
    effects.takeBack();
    for (const endpointId of effects.changedEndpoints) engine.endpointChanged(endpointId);
    throw storeFailure(engine, error);
  } finally {
    for (const payload of staged) giveBack(engine, payload);
  }
  releaseEffects(engine, effects);
  return value;
}

/** Makes bytes ready to be stored by a later `commit`. @throws ServiceError storage_full, storage_failed */
export async function stage(engine: EngineContext, bytes: Uint8Array) {
  try {
    return await engine.store.stage(bytes);
  } catch (error) {
    throw storeFailure(engine, error);
  }
}

/** The same for chunks of one job. @throws ServiceError storage_full, storage_failed */
export async function stageChunks(engine: EngineContext, parts: readonly Uint8Array[]) {
  try {
    return await engine.store.stageChunks(parts);
  } catch (error) {
    throw storeFailure(engine, error);
  }
}

/** A file that was not stored is removed now; should that fail, the next start removes it. */
function giveBack(engine: EngineContext, payload: Payload | undefined): void {
  if (payload?.kind !== "file") return;
  engine.store.discard(payload).catch((error: unknown) => {
    engine.log.warn({ err: error, file: payload.name }, "a file that is not needed stays for now");
  });
}

/** The refusal for a failure of what keeps things; any other error as it is. */
export function storeFailure({ log }: EngineContext, error: unknown): unknown {
  if (error instanceof StoreFullError) {
    return new ServiceError("storage_full", `the data directory is full: ${error.message}`, {
      cause: error,
    });
  }
  if (error instanceof StoreClosedError) {
    return new ServiceError("shutting_down", "the service is stopping", { cause: error });
  }
  if (error instanceof StoreDamagedError || error instanceof PayloadDamagedError) {
    return new ServiceError("data_damaged", error.message, { cause: error });
  }
  if (error instanceof StoreLostError) {
    return new ServiceError("storage_failed", `nothing can be stored: ${error.message}`, {
      cause: error,
    });
  }
  if (error instanceof StoreUnusableError) {
    log.error({ err: error }, "what was to be stored could not be");
    return new ServiceError("storage_failed", error.message, { cause: error });
  }
  return error;
}
