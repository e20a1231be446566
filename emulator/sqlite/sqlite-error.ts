/** Turns errors of SQLite and of the file system into store errors, with messages that say what to do. */
import { StoreDamagedError, StoreFullError, StoreUnusableError } from "../core/store-error.ts";

export { StoreFullError, StoreUnusableError };

/** Primary result codes of SQLite (the low byte of an extended one). */
const RESULT = {
  /** The SQL does not match the schema. */
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

const NEEDS_ROOM: ReadonlySet<number | undefined> = new Set<number>([
  RESULT.full,
  RESULT.ioError,
  RESULT.cannotOpen,
  RESULT.readOnly,
]);

/** Extended code: SQLite opened a read-only file for reading, and cannot lock it. */
const IO_ERROR_LOCK = 3850;

function extendedResultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

function resultOf(error: unknown): number | undefined {
  const extended = extendedResultOf(error);
  return extended === undefined ? undefined : extended & 0xff;
}

export function isConstraint(error: unknown): boolean {
  return resultOf(error) === RESULT.constraint;
}

/** Whether a read failed for lack of room or permission: reading a log needs a file beside it. */
export function needsRoom(error: unknown): boolean {
  return NEEDS_ROOM.has(resultOf(error));
}

export function isBusy(error: unknown): boolean {
  return resultOf(error) === RESULT.busy;
}

/**
 * Turns an error of SQLite into an error of the store. `where` names the file or directory, `remedy` the advice if it is
 * damaged. Returns other errors unchanged.
 */
export function fromSqlite(error: unknown, where: string, remedy = RESTORE): unknown {
  const options = { cause: error };
  switch (resultOf(error)) {
    case RESULT.full:
      return noRoom(where, options);
    case RESULT.error:
    case RESULT.corrupt:
    case RESULT.notADatabase:
      return new StoreDamagedError(`${where} is damaged or not a database; ${remedy}`, options);
    case RESULT.readOnly:
    case RESULT.cannotOpen:
      return notWritable(where, options);
    case RESULT.ioError:
      if (extendedResultOf(error) === IO_ERROR_LOCK) return notWritable(where, options);
      return new StoreUnusableError(
        `the disk failed while ${where} was used: ${messageOf(error)}`,
        options,
      );
    default:
      return error;
  }
}

const RESTORE = "restore it from a copy or choose another data directory";

/** Turns an error of the file system into an error of the store. Returns other errors unchanged. */
export function fromFileSystem(error: unknown, where: string): unknown {
  const options = { cause: error };
  switch (codeOf(error)) {
    case undefined:
      return error;
    case "ENOSPC":
    case "EDQUOT":
      return noRoom(where, options);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return notWritable(where, options);
    case "ENOTDIR":
    case "EEXIST":
      return new StoreUnusableError(
        `${where} cannot be a data directory because a file is in its place; choose another`,
        options,
      );
    case "ENOENT":
      return new StoreUnusableError(
        `${where} cannot be made: no directories can be made there; choose another data directory`,
        options,
      );
    default:
      return new StoreUnusableError(`${where} cannot be used: ${messageOf(error)}`, options);
  }
}

function noRoom(where: string, options: ErrorOptions): StoreFullError {
  return new StoreFullError(`there is no room left for ${where}; free some space`, options);
}

function notWritable(where: string, options: ErrorOptions): StoreUnusableError {
  const advice = "check its permissions or choose another data directory";
  return new StoreUnusableError(`${where} cannot be written; ${advice}`, options);
}

/** The system's code of an error, for example `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
