// A handler that yields: each yield becomes a chunk of the job's stream.
import type { Job } from "sv-runtime";
import { greet, readName } from "../greeting.ts";

/** The chunks are also collected into the job's output. */
export const aggregate = true;

export default function* generator(job: Job): Generator<string> {
  const { greeting } = greet(readName(job.input));
  yield* greeting.split(/(?<= )/u);
}
