/** The advice for damage that was found in a database. */
import { StoreDamagedError } from "../../../core/store-error.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";

/** Replaces the advice about SQLite with which reports of damage end. */
export function withOwnHint(error: unknown): unknown {
  if (!(error instanceof StoreDamagedError)) return error;
  const message = error.message.replace(HOW_TO_GO_ON, "stop the emulator and restore a backup");
  return new StoreDamagedError(message, { cause: error });
}
