/** A Docker engine through dockerode, which is loaded when the engine is first asked something. */
import { Agent } from "node:http";
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type Dockerode from "dockerode";
import { dockerUnreachable } from "../../core/docker-unreachable.ts";
import {
  type ContainerEnd,
  type ContainerEngine,
  EngineError,
  type EngineContainer,
  type ListedContainer,
} from "./container-engine.ts";
import { gatewayOf } from "./gateway-address.ts";

/** What its default network is called. */
const BRIDGE = "bridge";

/** @param host as `DOCKER_HOST` names it; by default what that says */
export function createDockerodeEngine(
  host: string | undefined = process.env["DOCKER_HOST"],
): ContainerEngine {
  let loaded: Promise<Dockerode> | undefined;
  const ask = async <T>(question: (docker: Dockerode) => Promise<T>): Promise<T> => {
    try {
      loaded ??= load(host);
      return await question(await loaded);
    } catch (error) {
      throw asEngineError(error, host);
    }
  };
  return {
    greet: async () => void (await ask((docker) => docker.ping())),
    hasImage: (name) => ask(async (docker) => exists(docker.getImage(name).inspect())),
    pull: (name, credentials, abortSignal) =>
      messages(
        ask((docker) =>
          docker.createImage({
            ...reference(name),
            ...(credentials && { authconfig: credentials }),
            abortSignal,
          }),
        ),
        host,
      ),
    create: (options) =>
      ask(async (docker) => containerOf(docker, await docker.createContainer(options), host, ask)),
    list: (label) =>
      ask(async (docker) => {
        const filters = { label: [label] };
        return (await docker.listContainers({ all: true, filters })).map(listed);
      }),
    remove: async (id) =>
      void (await ask((docker) =>
        exists(docker.getContainer(id).remove({ force: true, v: true })),
      )),
    listVolumes: (label) =>
      ask(async (docker) => {
        const { Volumes: volumes } = await docker.listVolumes({ filters: { label: [label] } });
        return volumes.map(({ Name: name, Labels: labels }) => ({ name, labels }));
      }),
    removeVolume: async (name) =>
      void (await ask((docker) => exists(docker.getVolume(name).remove()))),
    gatewayAddress: () =>
      ask(async (docker) => gatewayOf(await docker.getNetwork(BRIDGE).inspect())),
  };
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

function containerOf(
  docker: Dockerode,
  container: Dockerode.Container,
  host: string | undefined,
  ask: <T>(question: () => Promise<T>) => Promise<T>,
): EngineContainer {
  return {
    id: container.id,
    attach: (written) =>
      ask(async () => {
        const streams = { stream: true, stdin: true, stdout: true, stderr: true };
        const connection = await container.attach({ ...streams, hijack: true });
        const sink = new Writable({
          write(bytes: Buffer, _, done) {
            written(bytes);
            done();
          },
        });
        docker.modem.demuxStream(connection, sink, sink);
        return { ended: finished(connection, { writable: false }).catch(() => undefined) };
      }),
    start: async () => void (await ask(() => container.start())),
    ports: () =>
      ask(async () => {
        const { NetworkSettings: network } = await container.inspect();
        return new Map(Object.entries(network.Ports).flatMap(publishedPort));
      }),
    end: () => ask(async () => endOf(docker, container, host)),
    signal: async (name) =>
      void (await ask(() => exists(container.kill({ signal: name }), HAS_ENDED))),
  };
}

const FELL_SILENT = new Error("it ended its answer");

/**
 * Hears of it by the engine's events: the library's own `wait` never settles when the engine is killed meanwhile.
 *
 * @throws EngineError without a status when the engine says no more
 */
async function endOf(
  docker: Dockerode,
  container: Dockerode.Container,
  host: string | undefined,
): Promise<ContainerEnd> {
  const hearing = new AbortController();
  const filters = { container: [container.id], event: ["die"] };
  const deaths = await docker.getEvents({ filters, abortSignal: hearing.signal });
  try {
    // It may have ended before.
    let { State: state } = await container.inspect();
    const news = deaths[Symbol.asyncIterator]();
    while (state.Running) {
      if ((await news.next()).done === true)
        throw new EngineError(dockerUnreachable(FELL_SILENT, host), undefined);
      ({ State: state } = await container.inspect());
    }
    return { exitCode: state.ExitCode, oomKilled: state.OOMKilled };
  } finally {
    deaths.on("error", () => undefined);
    hearing.abort();
  }
}

/** A port that is not published has no list. */
function publishedPort([name, bindings]: [
  string,
  readonly { readonly HostPort: string }[] | null,
]): [string, number][] {
  const port = Number(bindings?.[0]?.HostPort);
  return port > 0 ? [[name, port]] : [];
}

/** Statuses by which the engine says that there is nothing to end any more. */
const HAS_ENDED = [404, 409];

/** False when the engine says that there is no such thing. */
async function exists(question: Promise<unknown>, nothing = [404]): Promise<boolean> {
  try {
    await question;
    return true;
  } catch (error) {
    if (nothing.includes(statusOf(error) ?? 0)) return false;
    throw error;
  }
}

/** A name without a tag stands for `latest`, as everywhere: the engine alone would take it for all tags. */
function reference(name: string): { readonly fromImage: string; readonly tag?: string } {
  const isComplete = name.includes("@") || /:[^/]*$/u.test(name);
  return isComplete ? { fromImage: name } : { fromImage: name, tag: "latest" };
}

/** A message is a line of JSON. */
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

function listed(info: Dockerode.ContainerInfo): ListedContainer {
  return { id: info.Id, labels: info.Labels, createdAt: info.Created * 1_000 };
}

function asEngineError(error: unknown, host: string | undefined): Error {
  if (error instanceof EngineError) return error;
  const status = statusOf(error);
  if (status === undefined)
    return new EngineError(dockerUnreachable(error, host), status, { cause: error });
  return new EngineError(messageOf(error), status, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own sentence, without what the library puts around it. */
function messageOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  if (typeof json === "object" && json !== null && "message" in json) return String(json.message);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\(HTTP code \d+\) [^-]* - /u, "").trim();
}
