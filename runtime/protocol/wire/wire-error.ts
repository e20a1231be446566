/** The one error of the worker protocol's wire form: a peer sent a message that lacks or garbles something required. */

/** Names the invalid field of a message, with the reason. Nothing of the message was applied. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code = "malformed_message";
  /** The field at fault, for example `Job.attempt`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`The peer sent a message whose ${field} ${problem}.`);
    this.field = field;
  }
}
