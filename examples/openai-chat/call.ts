// Reads a client's call, and reports mistakes in it as the OpenAI API would.

/** The only model. */
export const MODEL = "parrot-1";

export type Body = Readonly<Record<string, unknown>>;

/** A mistake in the call, which the client gets with this HTTP status. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  toBody(): object {
    const { message, status, code } = this;
    return { message, type: "invalid_request_error", param: null, code, status };
  }
}

/** @throws {CallError} if the call is for another model */
export function readModel({ model }: Body): string {
  if (model === MODEL) return MODEL;
  const message = `There is no model ${JSON.stringify(model)}; there is ${MODEL}.`;
  throw new CallError(404, "model_not_found", message);
}

/** The content of the last message of the user. @throws {CallError} */
export function readQuestion({ messages }: Body): string {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const last = list.findLast((message): message is { readonly content: string } => {
    if (typeof message !== "object" || message === null) return false;
    const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
    return role === "user" && typeof content === "string";
  });
  if (last !== undefined) return last.content;
  const message = "messages must have one of the role user whose content is a string.";
  throw new CallError(400, "invalid_messages", message);
}

/** Whether a stream ends with its usage. */
export function wantsUsage({ stream_options }: Body): boolean {
  const options: unknown = stream_options;
  return (
    typeof options === "object" &&
    options !== null &&
    "include_usage" in options &&
    options.include_usage === true
  );
}

/** One text or several under `key`. @throws {CallError} */
export function readTexts(body: Body, key: string): readonly string[] {
  const value = body[key];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isText = (text: unknown): text is string => typeof text === "string";
  if (texts.length > 0 && texts.every(isText)) return texts;
  throw new CallError(400, "invalid_input", `${key} must be a string or an array of strings.`);
}
