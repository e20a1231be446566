/** Reads the engine's answer to a build or a push, which has one message per line. */
import { createInterface } from "node:readline";
import { readEngineMessage } from "../../docker/engine-message.ts";
import { failedImage } from "../image-error.ts";
import type { EngineOutput } from "./build-progress.ts";

/** @throws ImageError if the engine stops in the midst of it */
export async function followEngine(
  answer: NodeJS.ReadableStream,
  output: EngineOutput,
): Promise<void> {
  try {
    for await (const line of createInterface({ input: answer })) {
      if (line !== "") output.add(readEngineMessage(JSON.parse(line)));
    }
  } catch (error) {
    throw failedImage("the Docker engine stopped reporting progress", error);
  }
}
