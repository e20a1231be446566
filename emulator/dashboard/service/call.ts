/** Calls the service. Addresses are relative to the page, which works below any path of a proxy. */
import type { Answers } from "../../../runtime/protocol/generated/answers.ts";

/** The service refused, or could not be asked. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** 0: there was no answer. */
  readonly status: number;
  /** The problems of the request: sentences that begin with the name of their field. */
  readonly problems: readonly string[];

  constructor(
    message: string,
    status: number,
    { problems = [], ...options }: ErrorOptions & { readonly problems?: readonly string[] } = {},
  ) {
    super(message, options);
    this.status = status;
    this.problems = problems;
  }
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; a text is sent as it is, which keeps its numbers. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

let closed = (): void => undefined;

export function onSessionClosed(listener: () => void): void {
  closed = listener;
}

/** The answer of an operation. @param path without a slash at its beginning @throws CallError */
export async function call<Operation extends keyof Answers>(
  path: string,
  options: CallOptions = {},
): Promise<Answers[Operation]> {
  const response = await open(path, options);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answers[Operation];
}

/** The answer before its body is read. @throws CallError */
export async function open(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = "GET", body, headers, signal } = options;
  let response: Response;
  try {
    response = await fetch(new URL(path, base()), {
      method,
      headers: { "x-sv-dashboard": "1", ...headers },
      credentials: "same-origin",
      // Streams are long, so nothing is cached.
      cache: "no-store",
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new CallError("the service does not answer", 0, { cause: error });
  }
  if (response.ok) return response;
  if (response.status === 401) closed();
  const { error, problems } = refusalIn(await response.text());
  throw new CallError(error, response.status, { problems });
}

/** The address of the service for this browser. */
export function base(): string {
  return new URL(".", document.baseURI).href;
}

function refusalIn(text: string): { readonly error: string; readonly problems: readonly string[] } {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && "error" in value) {
      const problems = "problems" in value && Array.isArray(value.problems) ? value.problems : [];
      return { error: String(value.error), problems: problems.map(String) };
    }
  } catch {
    // Something other than the service answered.
  }
  return { error: "the answer is not from the service", problems: [] };
}
