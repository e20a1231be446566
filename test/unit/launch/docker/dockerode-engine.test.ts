/** The adapter of an engine that does not answer, breaks off an answer, or refuses calls. */
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { expect, it } from "vitest";
import { createDockerodeEngine } from "../../../../emulator/launch/docker/dockerode-engine.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

const QUICKLY = { greetMs: 300, askMs: 300, actMs: 300 };

interface Played extends AsyncDisposable {
  /** Value for `DOCKER_HOST`. */
  readonly host: string;
  /** Number of requests that are neither answered nor ended by the client. */
  waiting(): number;
  end(): void;
}

/** An engine with scripted answers. */
async function play(answer: http.RequestListener): Promise<Played> {
  const folder = temporaryDirectory();
  const socket = path.join(folder.path, "engine.sock");
  let waiting = 0;
  const server = http.createServer((request, response) => {
    waiting += 1;
    response.on("close", () => (waiting -= 1));
    // The end of the client is seen only if the body is read.
    request.resume();
    answer(request, response);
  });
  await once(server.listen(socket), "listening");
  const end = () => server.closeAllConnections();
  return {
    host: `unix://${socket}`,
    waiting: () => waiting,
    end,
    async [Symbol.asyncDispose]() {
      end();
      server.close();
      folder[Symbol.dispose]();
    },
  };
}

function json(response: http.ServerResponse, status: number, body: object): void {
  response.setHeader("content-type", "application/json").statusCode = status;
  response.end(JSON.stringify(body));
}

it("a killed engine ends its events of a container, and the container's state is unknown", async () => {
  await using engine = await play(({ url = "" }, response) => {
    // Events are streamed until the engine ends.
    if (url.includes("/events")) response.writeHead(200).flushHeaders();
    else json(response, 201, { Id: "c" });
  });
  const container = await createDockerodeEngine(engine.host).create({});
  const failure = Promise.withResolvers<unknown>();
  await container.listen((error) => failure.resolve(error), new AbortController().signal);
  engine.end();
  expect(await failure.promise).toMatchObject({ name: "EngineError", contact: "doubtful" });
});

it("an engine that never answers is given up, without open requests", async () => {
  await using engine = await play(({ url = "" }, response) => {
    if (url.includes("/containers/create")) json(response, 201, { Id: "c" });
  });
  const docker = createDockerodeEngine(engine.host, QUICKLY);
  const container = await docker.create({});
  const questions = [
    docker.greet(),
    docker.describe(),
    docker.findImage("some/image:1"),
    docker.list("container", "a"),
    docker.list("network", "a"),
    docker.list("volume", "a"),
    docker.remove("container", "c"),
    docker.remove("network", "n"),
    docker.remove("volume", "v"),
    docker.findNetwork("n"),
    docker.createNetwork({ name: "n", labels: {}, options: {} }),
    container.attach(() => undefined),
    container.has("/a"),
    container.start(),
    container.ports(),
    container.ended(),
    container.listen(() => undefined, new AbortController().signal),
    container.signal("SIGKILL"),
  ];
  for (const answer of await Promise.allSettled(questions)) {
    expect(answer).toMatchObject({
      reason: { status: undefined, contact: "doubtful" },
    });
    expect(String((answer as PromiseRejectedResult).reason)).toContain("gave no answer for 0.3 s");
  }
  await expect.poll(() => engine.waiting()).toBe(0);
});

it("an answer of an engine may take any time after its begin", async () => {
  let events: http.ServerResponse | undefined;
  await using engine = await play(({ url = "" }, response) => {
    if (url.includes("/create")) return json(response, 201, { Id: "c" });
    events = response;
    response.writeHead(200).flushHeaders();
  });
  const container = await createDockerodeEngine(engine.host, QUICKLY).create({});
  const heard: unknown[] = [];
  await container.listen((news) => void heard.push(news), new AbortController().signal);
  await new Promise((resolve) => {
    setTimeout(resolve, 2 * QUICKLY.askMs);
  });
  expect(heard).toEqual([]);
  events?.write(`${JSON.stringify({ Type: "container", Action: "oom" })}\n`);
  await expect.poll(() => heard).toEqual(["out of memory"]);
  events?.write(`${JSON.stringify({ Type: "container", Action: "die" })}\n`);
  await expect.poll(() => heard).toEqual(["out of memory", "end"]);
});

it("a missing engine counts as lost, one that refuses a call does not", async () => {
  await using engine = await play((_, response) => json(response, 500, { message: "no" }));
  const docker = createDockerodeEngine(engine.host);
  await expect(docker.findImage("some/image:1")).rejects.toMatchObject({
    status: 500,
    contact: "kept",
  });
  // A request's path cannot have a space.
  await expect(docker.findImage("some image")).rejects.toMatchObject({
    status: undefined,
    contact: "kept",
  });
  const nobody = createDockerodeEngine(`${engine.host}-none`);
  await expect(nobody.findImage("some/image:1")).rejects.toMatchObject({ contact: "lost" });
});

it.each([
  [{ Components: [{ Name: "Engine", Version: "20.10" }] }, undefined],
  [{ Version: "1.0" }, undefined],
  [
    { Components: [{ Name: "Podman Engine", Version: "4.3.1" }, { Name: "Conmon" }] },
    "Podman Engine 4.3.1",
  ],
])("an engine with the version %j is named %s", async (version, name) => {
  await using engine = await play((_, response) => json(response, 200, version));
  expect(await createDockerodeEngine(engine.host).describe()).toMatchObject({ foreignName: name });
});

it.each([
  [{ KernelVersion: "6.1", SecurityOptions: ["name=seccomp", "name=rootless"] }, "6.1", true],
  [{ KernelVersion: "6.1", SecurityOptions: ["name=seccomp"] }, "6.1", false],
  [{ KernelVersion: "6.1", Rootless: true }, "6.1", true],
  [{}, undefined, false],
])(
  "an engine with the information %j has the kernel %s and is rootless: %s",
  async (info, kernel, isRootless) => {
    await using engine = await play(({ url = "" }, response) =>
      json(response, 200, url.endsWith("/info") ? info : {}),
    );
    expect(await createDockerodeEngine(engine.host).describe()).toEqual({
      ...{ foreignName: undefined, kernel, isRootless },
    });
  },
);

it.each([
  [200, true],
  [404, false],
])("a path in a container with the engine's answer %i exists: %s", async (status, isThere) => {
  const asked: (string | undefined)[] = [];
  await using engine = await play(({ method, url }, response) => {
    if (method === "POST") return json(response, 201, { Id: "c" });
    asked.push(method, url);
    response.writeHead(status).end();
  });
  const container = await createDockerodeEngine(engine.host).create({});
  expect(await container.has("/a b")).toBe(isThere);
  expect(asked).toEqual([
    "HEAD",
    expect.stringMatching(/containers\/c\/archive\?.*path=%2Fa%20b/u),
  ]);
});
