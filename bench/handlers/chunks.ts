/** Yields the number of chunks in the job's input, of the size in it, as fast as they are read. */

interface Wanted {
  readonly count: number;
  /** Size of a chunk's JSON text. */
  readonly bytes: number;
}

export default async function* chunks(job: { readonly input: Wanted }): AsyncGenerator<string> {
  const chunk = "x".repeat(job.input.bytes - '""'.length);
  for (let index = 0; index < job.input.count; index += 1) yield chunk;
}
