/** Asks an engine by dockerode, within limits of time; the library is loaded with the first question. */
import { Agent } from "node:http";
import type Dockerode from "dockerode";
import { noAnswer } from "../../docker/docker-unreachable.ts";
import { EngineError } from "./container-engine.ts";
import { asEngineError } from "./engine-failure.ts";

/** How long an answer may take, ms. A pull has no limit here: whoever wants it hears how far it is, and ends it. */
export interface EngineLimits {
  /** To say that it is there. */
  readonly greetMs: number;
  /** To say something, or to pass on a signal. */
  readonly askMs: number;
  /** To make, start or remove a container. */
  readonly actMs: number;
}

export const ENGINE_LIMITS: EngineLimits = { greetMs: 5_000, askMs: 10_000, actMs: 60_000 };

export type Question<T> = (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>;

/** Resolves to what `question` does, within `limitMs`. @throws EngineError */
export type Ask = <T>(limitMs: number, question: Question<T>) => Promise<T>;

/** An operation that the library ends by a signal, of which its types do not tell. */
export type Abortable<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

export interface AskDockerode {
  readonly ask: Ask;
  /** Without any limit. */
  readonly open: () => Promise<Dockerode>;
}

/** @param host as `DOCKER_HOST` names it, if it is set */
export function askDockerode(host: string | undefined): AskDockerode {
  let loaded: Promise<Dockerode> | undefined;
  const open = async () => (loaded ??= load(host));
  const ask: Ask = async (limitMs, question) => {
    const limit = new AbortController();
    const late = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    try {
      const docker = await open();
      timer = setTimeout(() => {
        late.reject(new EngineError(noAnswer(host, limitMs), undefined, { contact: "doubtful" }));
        limit.abort();
      }, limitMs);
      return await Promise.race([question(docker, limit.signal), late.promise]);
    } catch (error) {
      throw asEngineError(error, host);
    } finally {
      clearTimeout(timer);
    }
  };
  return { ask, open };
}

/** Loading it takes 0.2 s and 30 MB, which those who run no images should not pay. */
async function load(host: string | undefined): Promise<Dockerode> {
  const { default: Docker } = await import("dockerode");
  const socket = /^unix:\/\/(.+)$/u.exec(host ?? "")?.[1];
  const docker = new Docker(socket === undefined ? undefined : { socketPath: socket });
  const modem: object = docker.modem;
  // A connection kept from before a restart of the engine would fail the next question.
  const isPlain = "protocol" in modem && modem.protocol === "http";
  if (isPlain) Object.assign(modem, { agent: new Agent({ keepAlive: false }) });
  return docker;
}
