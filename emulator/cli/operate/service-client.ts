/** Calls a running emulator. Its errors say what to do. */
import { z } from "zod";
import { isThisMachine, proxyVariables } from "../../../runtime/proxies/proxy-choice.ts";
import { UsageError } from "../usage-error.ts";
import type { Environment } from "../serve/setting-values.ts";
import { DEFAULT_URL } from "./commands.ts";
import {
  type AnswerOf,
  OPERATIONS,
  type OperationName,
  type ParametersOf,
  pathOf,
} from "./operations.ts";

/** Nothing answers at the address, or something other than an emulator of this version. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** The emulator refused the request. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** An operation with the parameters of its path and query, and its body. A text is sent as it is, which keeps its numbers. */
type Asked<Name extends OperationName> = readonly [
  name: Name,
  parameters: ParametersOf<Name>,
  body?: object | string,
];

/** One server-sent event. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/** Timeout of a probe. */
const PROBE_TIMEOUT_MS = 5_000;

/** Codes of errors about a certificate of an unknown authority. */
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
    const { hostname } = new URL(this.#url);
    // With NODE_USE_ENV_PROXY=1 `fetch` looks at this variable before each request.
    if (proxyVariables() !== undefined && isThisMachine(hostname))
      process.env["no_proxy"] = [
        process.env["no_proxy"] ?? process.env["NO_PROXY"],
        hostname,
      ].join();
    this.#env = env;
    this.#signal = signal;
  }

  /** The URL of a page of the service. */
  urlOf(path: string): string {
    return this.#url + path;
  }

  /** @throws UnreachableError, RefusedError */
  async call<Name extends OperationName>(...asked: Asked<Name>): Promise<AnswerOf<Name>> {
    return this.read(asked[0], await this.text(...asked));
  }

  /** The answer as it was sent. @throws UnreachableError, RefusedError */
  async text<Name extends OperationName>(...asked: Asked<Name>): Promise<string> {
    return (await this.#send(asked)).text();
  }

  /** Members that this version does not know are left as they are. @throws UnreachableError for the answer of anything else */
  read<Name extends OperationName>(name: Name, text: string): AnswerOf<Name> {
    const [, , schema] = OPERATIONS[name];
    const value = schema && parsed(text);
    const { issues = [] } = schema?.safeParse(value).error ?? {};
    // The type is inferred from the schema.
    if (issues.every(({ code }) => code === "unrecognized_keys")) return value as AnswerOf<Name>;
    throw this.#stranger();
  }

  /** Calls an operation that needs no key: none is sent, and any certificate is accepted. @throws UnreachableError, RefusedError */
  async probe(name: "isReady"): Promise<AnswerOf<"isReady">> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
    const { status, body } = await this.#reached(probed(this.#url + pathOf(name, {}), signal));
    if (status === 200) return this.read(name, body);
    throw this.#refusal(body, undefined);
  }

  /** The events of a stream, until the emulator ends it. @throws UnreachableError, RefusedError */
  async *events<Name extends "logs" | "run">(...asked: Asked<Name>): AsyncGenerator<ServerEvent> {
    const response = await this.#send(asked, "text/event-stream");
    if (response.body === null) return;
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const [, type = "", data = ""] =
          /^event: (\w+)\n(?:id: .*\n)?data: (.*)$/u.exec(frame) ?? [];
        if (type === "error") throw this.#refusal(data, undefined);
        if (type !== "") yield { type, data };
      }
    }
  }

  async #send<Name extends OperationName>(asked: Asked<Name>, accept = "*/*"): Promise<Response> {
    const [name, parameters, body] = asked;
    const [method, template] = OPERATIONS[name];
    const key = this.#keyFor(template);
    const headers = {
      accept,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const request = {
      ...{ method, headers, signal: this.#signal },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const response = await this.#reached(fetch(this.#url + pathOf(name, parameters), request));
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

  /** The emulator's own operations prefer the admin key. All other operations take the API key. */
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
      `no emulator answers at ${this.#url}: ${reasonOf(error)}. Start one with sv-emulate, or set its address with --url or SV_URL.`,
      { cause: error },
    );
  }

  #stranger(): UnreachableError {
    return new UnreachableError(
      `the server at ${this.#url} is not an emulator of this version; set the emulator's address with --url or SV_URL`,
    );
  }
}

interface Probed {
  readonly status: number;
  readonly body: string;
}

/** Rejects as Node's requests do. `fetch` has no option to accept any certificate. */
async function probed(url: string, signal: AbortSignal): Promise<Probed> {
  // Loaded here because no other command needs them.
  const [{ get }, { text }] = await Promise.all([
    url.startsWith("https:") ? import("node:https") : import("node:http"),
    import("node:stream/consumers"),
  ]);
  const { promise, resolve, reject } = Promise.withResolvers<Probed>();
  get(url, { signal, agent: false, rejectUnauthorized: false }, (answer) => {
    text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
  }).once("error", reject);
  return promise;
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
