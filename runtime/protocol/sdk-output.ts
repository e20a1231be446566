/** Reads an output by the rules of the live service's Python SDK: `error` and `refresh_worker` of an object are no output (live). */
import { Buffer } from "node:buffer";

/** The members that the SDK takes out of the object that a handler returns. */
export const SDK_MEMBERS = ["error", "refresh_worker"] as const;

export interface SdkOutput {
  /** Raw JSON of the other members. Undefined if there are none. */
  readonly output: Uint8Array | undefined;
  /** The value of `error`. Undefined if it is empty by the rules of Python. */
  readonly error?: unknown;
  /** True: the worker is to be replaced. */
  readonly wantsNewWorker: boolean;
}

const OPENING_BRACE = 0x7b;

/** A fast look at raw JSON: false if {@link readSdkOutput} finds nothing in it for sure. */
export function mayBeSdkOutput(output: Uint8Array): boolean {
  if (output[0] !== OPENING_BRACE) return false;
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  return SDK_MEMBERS.some((name) => bytes.includes(`"${name}"`));
}

/**
 * @param output raw JSON
 * @returns undefined for an output without these members
 */
export function readSdkOutput(output: Uint8Array): SdkOutput | undefined {
  if (!mayBeSdkOutput(output)) return undefined;
  // It begins with a brace.
  const value = JSON.parse(Buffer.from(output).toString()) as Readonly<Record<string, unknown>>;
  if (!SDK_MEMBERS.some((name) => Object.hasOwn(value, name))) return undefined;
  const { error, refresh_worker: refresh, ...rest } = value;
  return {
    output: isEmpty(rest) ? undefined : Buffer.from(JSON.stringify(rest)),
    ...(isEmpty(error) ? {} : { error }),
    wantsNewWorker: !isEmpty(refresh),
  };
}

/** Whether Python takes the value for false. */
function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return !value;
}
