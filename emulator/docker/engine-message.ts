/** Reads the messages by which a Docker engine tells how a pull, a push or a build goes on. Pure. */

/** One message; what it lacks is undefined, or 0. */
export interface EngineMessage {
  /** What a build writes. */
  readonly stream: string | undefined;
  readonly error: string | undefined;
  readonly status: string | undefined;
  /** Of the layer or the tag that `status` is about. */
  readonly id: string | undefined;
  /** What has a form of its own, by its id. */
  readonly aux: string | undefined;
  /** How far the layer is. */
  readonly doneBytes: number;
  /** At least `doneBytes`: engines announce less than they send. */
  readonly totalBytes: number;
}

/** @param message as it came, or any other value */
export function readEngineMessage(message: unknown): EngineMessage {
  const fields = fieldsOf(message);
  const detail = fieldsOf(fields["progressDetail"]);
  const doneBytes = numberOf(detail["current"]);
  return {
    stream: textOf(fields["stream"]),
    error: textOf(fields["error"]),
    status: textOf(fields["status"]),
    id: textOf(fields["id"]),
    aux: textOf(fields["aux"]),
    doneBytes,
    totalBytes: Math.max(doneBytes, numberOf(detail["total"])),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
