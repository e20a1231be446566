/** What a handler is given when a client called the endpoint's OpenAI paths. */

/** The input of a job that was made of a call to `/openai/v1/*` (live). */
export interface OpenAiCall {
  /** The path, for example `/v1/chat/completions`. */
  readonly openai_route: string;
  /** The body as it was sent; absent for a call without one, such as that of `/v1/models`. */
  readonly openai_input?: Readonly<Record<string, unknown>>;
  /** The HTTP method where it is neither POST nor GET (ours). */
  readonly openai_method?: "PUT" | "PATCH" | "DELETE";
}
