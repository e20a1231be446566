/** Turns errors of PostgreSQL, and of connections to it, into errors of the store. */
import {
  StoreClosedError,
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreLostError,
  StoreUnusableError,
} from "../../../core/store-error.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";
import { BatchRefusedError } from "../../store.ts";

/** Code of the errors of the function `refuse` in the schema. */
export const REFUSED = "SVR01";
export const UNIQUE_VIOLATION = "23505";

/** Code for all statements after a failed one. */
const TRANSACTION_ABORTED = "25P02";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const LOCK_NOT_AVAILABLE = "55P03";
/** The server has become a standby, or is read-only. */
const READ_ONLY = "25006";
const DISK_FULL = "53100";
/** A page of a table or of an index is damaged. */
const DAMAGED: ReadonlySet<string> = new Set(["XX001", "XX002"]);
const HOW_TO_RESTORE = "stop the emulator and restore a backup";

/** The server does not accept writes. Another server may be the primary. */
export class StandbyError extends Error {
  constructor() {
    super("it is a standby, which cannot be written to");
  }
}

export interface ServerError extends Error {
  readonly severity: string;
  readonly code: string;
  readonly constraint?: string;
}

export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error;
}

/** Whether the error only means that an earlier statement failed. */
export function isConsequence(error: unknown): boolean {
  return isServerError(error) && error.code === TRANSACTION_ABORTED;
}

/** Whether the wait for a lock took too long. */
export function isLocked(error: unknown): boolean {
  return isServerError(error) && error.code === LOCK_NOT_AVAILABLE;
}

/** Whether the same transaction may succeed when it is tried again. */
export function isConflict(error: unknown): boolean {
  return isServerError(error) && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK);
}

/** Messages of `pg` about an ended connection, in errors without a code. */
const ENDED = /^(?:Connection terminated|Query read timeout|timeout expired|Client (?:has|was))/;
/** Codes of the system for an ended connection, and of Node for a closed stream. */
const SYSTEM = /^(?:E(?!RR_)|ERR_STREAM_)/;

/** Whether the connection was lost or never made. Another connection may work. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || isOwn(error)) return false;
  if (error instanceof StandbyError) return true;
  // An AggregateError has an error for each server of the address.
  if (error instanceof AggregateError && !("code" in error))
    return error.errors.some(isConnectionLoss);
  if (!isServerError(error))
    return "code" in error ? SYSTEM.test(String(error.code)) : ENDED.test(error.message);
  if (error.code === READ_ONLY) return true;
  const isLasting = /^(?:28|3D|42|3F)/.test(error.code);
  return !isLasting && (error.severity === "FATAL" || error.severity === "PANIC");
}

/** Refusal of a connection that leads to a pooler instead of the server. */
export const POOLER =
  "a pooler such as PgBouncer answers, which shares connections; name the server itself";
/** Error text by which a pooler refuses the settings of a new connection. */
const POOLED = /^unsupported startup parameter/;

/** @param shown the address of the database */
export function fromPostgres(error: unknown, shown: string): Error {
  if (error instanceof Error && isOwn(error)) return error;
  const message = messageOf(error);
  const said = POOLED.test(message) ? POOLER : message;
  if (isServerError(error) && DAMAGED.has(error.code))
    return new StoreDamagedError(`the database ${shown} is damaged: ${said}; ${HOW_TO_RESTORE}`, {
      cause: error,
    });
  if (isServerError(error) && error.code === DISK_FULL)
    return new StoreFullError(`there is no room left for the database ${shown}: ${said}`, {
      cause: error,
    });
  return new StoreUnusableError(`the database ${shown} cannot be used: ${said}`, { cause: error });
}

/** Replaces the advice about SQLite in errors about damage. */
export function withOwnAdvice(error: unknown): unknown {
  if (!(error instanceof StoreDamagedError)) return error;
  const message = error.message.replace(HOW_TO_GO_ON, HOW_TO_RESTORE);
  return new StoreDamagedError(message, { cause: error });
}

/** Returns the messages for all addresses of a server. The common message contains no reason. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError)
    return error.errors.map((each) => messageOf(each)).join("; ");
  return error instanceof Error ? error.message : String(error);
}

const OWN = [
  StoreClosedError,
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreLostError,
  StoreUnusableError,
  BatchRefusedError,
];

function isOwn(error: Error): boolean {
  return OWN.some((own) => error instanceof own);
}
