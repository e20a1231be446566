/** The error of the worker protocol's wire form: a peer sent a message with a missing or invalid field. */

/** Names the invalid field of a message and the reason. Nothing of the message was applied. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code = "malformed_message";
  /** The invalid field, for example `Job.attempt`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`The peer sent a message whose ${field} ${problem}.`);
    this.field = field;
  }
}
