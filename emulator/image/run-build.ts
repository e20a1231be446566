/** Has the engine build an image and follows how it goes, step by step. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type Docker from "dockerode";
import { ImageError } from "./image-error.ts";

/** As much of the end of a failed build is shown. */
const TAIL_LINES = 30;

export interface BuildRequest {
  /** The image's name. */
  readonly tag: string;
  readonly context: Readable;
  /** Its path in the context. */
  readonly dockerfile: string;
  readonly buildArgs?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Default true. */
  readonly cache?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each step and each image that is fetched. */
  readonly progress: (line: string) => void;
}

/** What the engine says while it works. */
interface BuildEvent {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

/** @throws ImageError with the end of the output when a step fails */
export async function runBuild(docker: Docker, request: BuildRequest): Promise<void> {
  const { tag, context, dockerfile, buildArgs = {}, labels = {}, cache = true, signal } = request;
  const options = {
    t: tag,
    dockerfile,
    buildargs: { ...buildArgs },
    labels: { ...labels },
    nocache: !cache,
    forcerm: true,
    ...(signal !== undefined && { abortSignal: signal }),
  };
  const output = new Output(request.progress);
  const broken = new Promise<never>((_, reject) => context.once("error", reject));
  const answer = await Promise.race([docker.buildImage(context, options), broken]).catch(
    (error: unknown) => {
      throw new ImageError(`${tag} cannot be built: ${messageOf(error)}`, { cause: error });
    },
  );
  await followed(answer, (event) => output.add(event));
  if (output.error === undefined) return;
  throw new ImageError([`${tag} cannot be built: ${output.error}`, ...output.tail].join("\n  "));
}

/** Puts an image into its registry. @throws ImageError when the registry does not take it */
export async function pushImage(
  docker: Docker,
  tag: string,
  progress: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const output = new Output(progress);
  // An engine refuses to push without being told of credentials, even of none.
  const options = { authconfig: { username: "", password: "", serveraddress: "" } };
  const answer = await docker
    .getImage(tag)
    .push({ ...options, ...(signal !== undefined && { abortSignal: signal }) })
    .catch((error: unknown) => {
      throw new ImageError(`${tag} cannot be pushed: ${messageOf(error)}`, { cause: error });
    });
  await followed(answer, (event) => output.add(event));
  if (output.error === undefined) return;
  throw new ImageError(
    `${tag} cannot be pushed: ${output.error}. Where the registry wants a login, use: docker push ${tag}`,
  );
}

class Output {
  error: string | undefined;
  readonly #progress: (line: string) => void;
  readonly #lines: string[] = [];
  #lastStatus = "";

  constructor(progress: (line: string) => void) {
    this.#progress = progress;
  }

  get tail(): readonly string[] {
    return this.#lines.slice(-TAIL_LINES);
  }

  add({ stream, status, id, error }: BuildEvent): void {
    if (error !== undefined) this.error = error.trim();
    for (const line of (stream ?? "").split(/\r?\n/u)) this.#addLine(line.trimEnd());
    // A layer's every kilobyte is told of; that it is being fetched is enough.
    const said = status === undefined ? "" : [id, status].filter(Boolean).join(": ");
    if (said !== "" && said !== this.#lastStatus && !/ing$|^[0-9a-f]{12}: /u.test(said)) {
      this.#progress(said);
    }
    this.#lastStatus = said;
  }

  #addLine(line: string): void {
    if (line === "") return;
    this.#lines.push(line);
    if (this.#lines.length > 2 * TAIL_LINES) this.#lines.splice(0, TAIL_LINES);
    if (line.startsWith("Step ")) this.#progress(line);
  }
}

/** The engine answers with an event a line. */
async function followed(
  answer: NodeJS.ReadableStream,
  add: (event: BuildEvent) => void,
): Promise<void> {
  try {
    for await (const line of createInterface({ input: answer })) {
      // As the engine's interface describes it.
      if (line !== "") add(JSON.parse(line) as BuildEvent);
    }
  } catch (error) {
    const why = `the Docker engine stopped telling how it goes: ${messageOf(error)}`;
    throw new ImageError(why, { cause: error });
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The engine's own words, which the client's message only wraps.
  const json: unknown = "json" in error ? error.json : undefined;
  const isObject = typeof json === "object" && json !== null && "message" in json;
  return isObject ? String(json.message) : error.message;
}
