/** Sends requests to an engine through dockerode, with timeouts. The library is loaded at the first request. */
import { Agent } from "node:http";
import type Dockerode from "dockerode";
import { noAnswer } from "../../docker/docker-unreachable.ts";
import { EngineError } from "./container-engine.ts";
import { asEngineError } from "./engine-answers.ts";

/** Timeouts of answers, ms. Pulls are not included: the caller watches their progress, and aborts them. */
export interface EngineLimits {
  readonly greetMs: number;
  /** Timeout of a read, or of a signal to a container. */
  readonly askMs: number;
  /** Timeout of making, starting or removing a container. */
  readonly actMs: number;
}

export const ENGINE_LIMITS: EngineLimits = { greetMs: 5_000, askMs: 10_000, actMs: 60_000 };

export type Question<T> = (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>;

/** Resolves to what `question` resolves to within `limitMs`. @throws EngineError */
export type Ask = <T>(limitMs: number, question: Question<T>) => Promise<T>;

/** An operation that takes a signal, which the types of the library omit. */
export type Abortable<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

export interface AskDockerode {
  readonly ask: Ask;
  /** The library itself, without timeouts. */
  readonly open: () => Promise<Dockerode>;
}

/** @param host the value of `DOCKER_HOST`, if it is set */
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

/** Loaded on demand: the library takes 0.2 s and 30 MB, which a service without images should not pay. */
async function load(host: string | undefined): Promise<Dockerode> {
  const { default: Docker } = await import("dockerode");
  const socket = /^unix:\/\/(.+)$/u.exec(host ?? "")?.[1];
  const docker = new Docker(socket === undefined ? undefined : { socketPath: socket });
  const modem: object = docker.modem;
  // Without keep-alive: after a restart of the engine, an old connection would fail the next request.
  const isPlain = "protocol" in modem && modem.protocol === "http";
  if (isPlain) Object.assign(modem, { agent: new Agent({ keepAlive: false }) });
  return docker;
}
