/** Reads and checks the job's input for `sv-worker run`. */
import { Buffer } from "node:buffer";
import fs from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { RunFlags } from "./command.ts";
import { UsageError } from "./usage.ts";

/**
 * Reads the input as raw JSON text from `--input`, a file or standard input.
 *
 * @throws UsageError if there is no input, or it is no JSON object
 */
export async function readJobInput({ input, inputFile }: RunFlags): Promise<Uint8Array> {
  if (input !== undefined) return checked(Buffer.from(input), "--input");
  if (inputFile !== undefined && inputFile !== "-") {
    return checked(await readInputFile(inputFile), inputFile);
  }
  if (process.stdin.isTTY) {
    throw new UsageError("There is no input: give --input or --input-file, or pipe it in.");
  }
  return checked(await buffer(process.stdin), "standard input");
}

async function readInputFile(file: string): Promise<Buffer> {
  try {
    return await fs.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The input cannot be read: ${reason}.`, { cause: error });
  }
}

/** Like the `input` of a submission, it must be an object. */
function checked(text: Buffer, where: string): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The input (${where}) is no JSON: ${reason}.`, { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  throw new UsageError(`The input (${where}) must be a JSON object, like '{"name": "Ada"}'.`);
}
