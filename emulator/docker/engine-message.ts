/** Reads a Docker engine's messages on the progress of a pull, a push or a build. Pure. */

/** One message. A missing text is undefined; a missing number is 0. */
export interface EngineMessage {
  /** Output of a build. */
  readonly stream: string | undefined;
  readonly error: string | undefined;
  readonly status: string | undefined;
  /** Id of the layer or the tag that `status` is about. */
  readonly id: string | undefined;
  /** Content whose form depends on `id`. */
  readonly aux: string | undefined;
  /** Id of an image that a build has made. */
  readonly imageId: string | undefined;
  /** Bytes of the layer that were transferred. */
  readonly doneBytes: number;
  /** At least `doneBytes`, because engines announce less than they send. */
  readonly totalBytes: number;
}

/** @param message the engine's answer, which may be any value */
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
    imageId: textOf(fieldsOf(fields["aux"])["ID"]),
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
