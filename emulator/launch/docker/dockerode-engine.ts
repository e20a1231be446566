/** A Docker engine through dockerode. */
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type Dockerode from "dockerode";
import type { ContainerCreateOptions, DockerVersion, NetworkInspectInfo } from "dockerode";
import {
  type Abortable,
  type Ask,
  type AskDockerode,
  askDockerode,
  ENGINE_LIMITS,
  type EngineLimits,
  type Question,
} from "./ask-dockerode.ts";
import {
  type ContainerEngine,
  EngineError,
  type EngineContainer,
  type EngineFacts,
  type EngineThing,
  type FoundImage,
  type FoundNetwork,
  type Listed,
  type NewNetwork,
  type WantedImage,
} from "./container-engine.ts";
import { asEngineError, factsOf, gatewayOf, platformOf, statusOf } from "./engine-answers.ts";

/** @param host default: the value of `DOCKER_HOST` */
export function createDockerodeEngine(
  host: string | undefined = process.env["DOCKER_HOST"],
  limits: EngineLimits = ENGINE_LIMITS,
): ContainerEngine {
  return new DockerodeEngine(host, limits);
}

class DockerodeEngine implements ContainerEngine {
  readonly #host: string | undefined;
  readonly #limits: EngineLimits;
  readonly #dockerode: AskDockerode;

  constructor(host: string | undefined, limits: EngineLimits) {
    this.#host = host;
    this.#limits = limits;
    this.#dockerode = askDockerode(host);
  }

  async greet(): Promise<void> {
    await this.#dockerode.ask(this.#limits.greetMs, async (docker, abortSignal) => {
      const ping: Abortable<unknown> = docker.ping.bind(docker);
      return ping({ abortSignal });
    });
  }

  describe(): Promise<EngineFacts> {
    return this.#ask(async (docker, abortSignal) => {
      const version: Abortable<DockerVersion> = docker.version.bind(docker);
      const info: Abortable<unknown> = docker.info.bind(docker);
      return factsOf(await version({ abortSignal }), await info({ abortSignal }));
    });
  }

  findImage(name: string): Promise<FoundImage | undefined> {
    return this.#ask(async (docker, abortSignal) => {
      const found = await unlessMissing(inspect(docker, `/images/${name}/json`, abortSignal));
      return found === undefined ? undefined : { platform: platformOf(found) };
    });
  }

  pull(
    { name, credentials: authconfig, platform }: WantedImage,
    abortSignal: AbortSignal,
  ): AsyncIterable<unknown> {
    const which = { ...reference(name), ...(platform !== undefined && { platform }) };
    const options = { ...which, ...(authconfig && { authconfig }), abortSignal };
    const pulling = this.#dockerode.open().then((docker) => docker.createImage(options));
    return messages(pulling, this.#host);
  }

  create(options: ContainerCreateOptions): Promise<EngineContainer> {
    return this.#act(async (docker, abortSignal) => {
      const container = await docker.createContainer({ ...options, abortSignal });
      return containerOf(container, docker, this.#dockerode.ask, this.#limits);
    });
  }

  list(kind: EngineThing, label: string): Promise<readonly Listed[]> {
    return this.#ask((docker, abortSignal) =>
      LISTS[kind](docker, { filters: { label: [label] }, abortSignal }),
    );
  }

  async remove(kind: EngineThing, id: string): Promise<void> {
    await this.#act((docker, abortSignal) => exists(removing(docker, kind, id, { abortSignal })));
  }

  findNetwork(name: string): Promise<FoundNetwork | undefined> {
    return this.#ask(async (docker, abortSignal) => {
      const asked = inspect<NetworkInspectInfo>(docker, `/networks/${name}`, abortSignal);
      const facts = await unlessMissing(asked);
      return facts && { gateway: gatewayOf(facts), options: facts.Options ?? {} };
    });
  }

  async createNetwork({ name: Name, labels, options }: NewNetwork): Promise<void> {
    await this.#act((docker, abortSignal) => {
      const bridge = { Name, Driver: "bridge", CheckDuplicate: true };
      const given = { Labels: { ...labels }, Options: { ...options } };
      return docker.createNetwork({ ...bridge, ...given, abortSignal });
    });
  }

  #ask<T>(question: Question<T>): Promise<T> {
    return this.#dockerode.ask(this.#limits.askMs, question);
  }

  #act<T>(question: Question<T>): Promise<T> {
    return this.#dockerode.ask(this.#limits.actMs, question);
  }
}

function containerOf(
  container: Dockerode.Container,
  { modem }: Dockerode,
  ask: Ask,
  { askMs, actMs }: EngineLimits,
): EngineContainer {
  return {
    id: container.id,
    has: (path) => ask(actMs, looking(container, path)),
    attach: (written) =>
      ask(actMs, async (_, abortSignal) => {
        const streams = { stream: true, stdin: true, stdout: true, stderr: true };
        const connection = await container.attach({ ...streams, hijack: true, abortSignal });
        const sink = new Writable({
          write(bytes: Buffer, __, done) {
            written(bytes);
            done();
          },
        });
        modem.demuxStream(connection, sink, sink);
        return { ended: finished(connection, { writable: false }).catch(() => undefined) };
      }),
    start: async () =>
      void (await ask(actMs, (_, abortSignal) => container.start({ abortSignal }))),
    ports: () =>
      ask(askMs, async (_, abortSignal) => {
        const { NetworkSettings: network } = await container.inspect({ abortSignal });
        return new Map(Object.entries(network.Ports).flatMap(publishedPort));
      }),
    ended: () =>
      ask(askMs, async (_, abortSignal) => {
        const { State: state } = await container.inspect({ abortSignal });
        if (state.Running) return undefined;
        return { exitCode: state.ExitCode, oomKilled: state.OOMKilled };
      }),
    // Events instead of the library's `wait`, which never settles if the engine is killed meanwhile.
    listen: (heard, signal) =>
      ask(askMs, async (docker, limit) => {
        // Podman sends "die", and filters by its own word for it.
        const filters = { container: [container.id], event: ["die", "died", "oom"] };
        const abortSignal = AbortSignal.any([signal, limit]);
        const events = await docker.getEvents({ filters, abortSignal });
        events.on("data", (event: Buffer) => heard(newsIn(event)));
        events.on("error", () => undefined).on("close", () => heard(fellSilent()));
      }),
    pause: (isPaused) => ask(actMs, pausing(container, isPaused)),
    signal: async (name) =>
      void (await ask(askMs, (_, abortSignal) =>
        exists(container.kill({ signal: name, abortSignal }), HAS_ENDED),
      )),
  };
}

function newsIn(event: Buffer) {
  return event.includes('"oom"') ? "out of memory" : "end";
}

function looking(container: Dockerode.Container, path: string): Question<boolean> {
  return (_, abortSignal) => exists(container.infoArchive({ path, abortSignal }));
}

function pausing(container: Dockerode.Container, isPaused: boolean): Question<void> {
  return (_, abortSignal) => container[isPaused ? "pause" : "unpause"]({ abortSignal });
}

/** Reads the description of an image or a network. The library's own methods cannot be aborted by a signal. */
function inspect<T>({ modem }: Dockerode, path: string, abortSignal: AbortSignal): Promise<T> {
  const statusCodes = { 200: true, 404: "no such thing", 500: "server error" };
  return new Promise((resolve, reject) => {
    const question = { path, method: "GET", abortSignal, statusCodes };
    modem.dial(question, (error: Error | null, answer) => {
      if (error) reject(error);
      else resolve(answer as T);
    });
  });
}

function fellSilent(): EngineError {
  return new EngineError("the Docker engine sends no more events", undefined, {
    contact: "doubtful",
  });
}

/** The entry of a published port. A port that is not published has no list. */
function publishedPort([name, bindings]: [
  string,
  readonly { readonly HostPort: string }[] | null,
]): [string, number][] {
  const port = Number(bindings?.[0]?.HostPort);
  return port > 0 ? [[name, port]] : [];
}

/** HTTP statuses of an engine when the program has already ended. */
const HAS_ENDED = [404, 409];

/** False when the engine reports that the object does not exist. */
async function exists(question: Promise<unknown>, nothing = [404]): Promise<boolean> {
  return (
    (await unlessMissing(
      question.then(() => true),
      nothing,
    )) ?? false
  );
}

/** Undefined when the engine reports that the object does not exist. */
async function unlessMissing<T>(question: Promise<T>, nothing = [404]): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    if (nothing.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/** Splits the name and the tag. A name without a tag means `latest`; without this the engine would pull all tags. */
function reference(name: string): { readonly fromImage: string; readonly tag?: string } {
  const isComplete = name.includes("@") || /:[^/]*$/u.test(name);
  return isComplete ? { fromImage: name } : { fromImage: name, tag: "latest" };
}

/** Yields the messages, each of which is a line of JSON. */
async function* messages(
  answer: Promise<NodeJS.ReadableStream>,
  host: string | undefined,
): AsyncIterable<unknown> {
  let partial = "";
  try {
    const stream = await answer;
    stream.setEncoding("utf8");
    for await (const text of stream) {
      const lines = (partial + String(text)).split("\n");
      partial = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
    }
  } catch (error) {
    throw asEngineError(error, host);
  }
}

interface ListOptions {
  readonly filters: { label: string[] };
  readonly abortSignal: AbortSignal;
}

const LISTS: Readonly<
  Record<EngineThing, (docker: Dockerode, options: ListOptions) => Promise<readonly Listed[]>>
> = {
  container: async (docker, options) =>
    (await docker.listContainers({ all: true, ...options })).map((info) => ({
      id: info.Id,
      labels: info.Labels,
      createdAt: info.Created * 1_000,
    })),
  network: async (docker, options) =>
    (await docker.listNetworks(options)).map(({ Id: id, Labels: labels = {}, Created: at }) => ({
      ...{ id, labels, createdAt: Date.parse(at) },
    })),
  volume: async (docker, options) =>
    (await docker.listVolumes(options)).Volumes.map(({ Name: id, Labels: labels }) => ({
      ...{ id, labels, createdAt: 0 },
    })),
};

function removing(
  docker: Dockerode,
  kind: EngineThing,
  id: string,
  options: { readonly abortSignal: AbortSignal },
): Promise<unknown> {
  if (kind === "network") return docker.getNetwork(id).remove(options);
  if (kind === "volume") return docker.getVolume(id).remove(options);
  return docker.getContainer(id).remove({ force: true, v: true, ...options });
}
