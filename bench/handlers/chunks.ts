/** Yields as many chunks of the asked size as the job says, as fast as they are taken. */

interface Wanted {
  readonly count: number;
  /** Size of a chunk's JSON text. */
  readonly bytes: number;
}

export default async function* chunks(job: { readonly input: Wanted }): AsyncGenerator<string> {
  const chunk = "x".repeat(job.input.bytes - '""'.length);
  for (let index = 0; index < job.input.count; index += 1) yield chunk;
}
