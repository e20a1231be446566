/** Calls a running emulator; whatever goes wrong becomes an error that says what to do. */
import { z } from "zod";
import { UsageError } from "../usage-error.ts";
import type { Environment } from "../serve/setting-values.ts";
import { DEFAULT_URL } from "./operate-flags.ts";

/** Nothing answers at the address, or nothing that is an emulator. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** The emulator answered, but does not do what was asked. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** One server-sent event. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/** Within this a probe is answered, or nobody answers. */
const PROBE_MS = 5_000;

/** What is wrong with a certificate whose authority is not known here. */
const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const refusalSchema = z.looseObject({ error: z.string(), code: z.string() });

export class ServiceClient {
  readonly #url: string;
  readonly #env: Environment;
  readonly #signal: AbortSignal;

  /** @throws UsageError when `url` (or SV_URL) is no http URL */
  constructor(url: string | undefined, env: Environment, signal: AbortSignal) {
    this.#url = serviceUrl(url, env);
    this.#env = env;
    this.#signal = signal;
  }

  /** Where a browser finds what is at that path. */
  urlOf(path: string): string {
    return this.#url + path;
  }

  /** @throws UnreachableError, RefusedError */
  async get<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    return this.read(await this.text(path), schema);
  }

  /** As `get`, of what anybody may ask: no key is sent, and the certificate may be anyone's. */
  async probe<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
    // No other command waits for what it loads.
    const { probe } = await import("./probe.ts");
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PROBE_MS)]);
    const { status, text } = await this.#reached(probe(this.#url + path, signal));
    if (status === 200) return this.read(text, schema);
    throw this.#refusal(text, undefined);
  }

  /** The answer as it was sent. @throws UnreachableError, RefusedError */
  async text(path: string): Promise<string> {
    return (await this.#send("GET", path)).text();
  }

  /** @param body JSON @throws UnreachableError, RefusedError */
  async post<Value>(path: string, schema: z.ZodType<Value>, body?: string): Promise<Value> {
    return this.read(await (await this.#send("POST", path, body)).text(), schema);
  }

  /** @throws UnreachableError, RefusedError */
  async delete(path: string): Promise<void> {
    await this.#send("DELETE", path);
  }

  /** @throws UnreachableError when no emulator of this version would answer so */
  read<Value>(text: string, schema: z.ZodType<Value>): Value {
    const value = schema.safeParse(parsed(text));
    if (value.success) return value.data;
    throw this.#stranger();
  }

  /** Ends when the emulator ends the stream. @throws UnreachableError, RefusedError */
  async *events(path: string): AsyncGenerator<ServerEvent> {
    const response = await this.#send("GET", path);
    if (response.body === null) return;
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const [, type = "", data = ""] = /^event: (\w+)\ndata: (.*)$/u.exec(frame) ?? [];
        if (type !== "") yield { type, data };
      }
    }
  }

  async #send(method: string, path: string, body?: string): Promise<Response> {
    const key = this.#keyFor(path);
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const request = { method, headers, signal: this.#signal, ...(body !== undefined && { body }) };
    const response = await this.#reached(fetch(this.#url + path, request));
    if (response.ok) return response;
    throw this.#refusal(await response.text(), key);
  }

  async #reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw this.#unreachable(error);
    }
  }

  #refusal(text: string, key: string | undefined): Error {
    const refusal = refusalSchema.safeParse(parsed(text));
    if (!refusal.success) return this.#stranger();
    const { code, error } = refusal.data;
    return new RefusedError(code === "unauthorized" ? this.#keySentence(key) : error);
  }

  /** The emulator's own operations take the admin key, where there is one, and the interface of the service the other. */
  #keyFor(path: string): string | undefined {
    const { SV_ADMIN_KEY: adminKey, SV_API_KEY: apiKey } = this.#env;
    const keys = path.startsWith("/emulator/") ? [adminKey, apiKey] : [apiKey, adminKey];
    return keys.find((key) => key !== undefined && key !== "");
  }

  #keySentence(key: string | undefined): string {
    if (key === undefined) {
      return `the emulator at ${this.#url} wants its API key: put it into SV_API_KEY`;
    }
    return `the emulator at ${this.#url} does not accept the key: SV_API_KEY must be its API key, and SV_ADMIN_KEY its admin key where it has one`;
  }

  #unreachable(error: unknown): UnreachableError {
    return new UnreachableError(
      `no emulator answers at ${this.#url}: ${reasonOf(error)}. Start one with sv-emulate, or say with --url or SV_URL where it is.`,
      { cause: error },
    );
  }

  #stranger(): UnreachableError {
    return new UnreachableError(
      `what answers at ${this.#url} is no emulator, or one of another version; say with --url or SV_URL where it is`,
    );
  }
}

function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  if (code === "ECONNREFUSED") return "nothing listens there";
  const reason =
    cause instanceof Error && cause.message !== "" ? cause.message : (code ?? String(error));
  if (!UNTRUSTED.has(code ?? "")) return reason;
  return `its certificate is not trusted here (${reason}); NODE_EXTRA_CA_CERTS names a file with its authority`;
}

function serviceUrl(flag: string | undefined, env: Environment): string {
  const [source, text] =
    flag === undefined ? (["SV_URL", env["SV_URL"] || DEFAULT_URL] as const) : ["--url", flag];
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href.replace(/\/+$/u, "");
  throw new UsageError(
    `${source} must be an http URL such as ${DEFAULT_URL}; got ${JSON.stringify(text)}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
