/**
 * A scene in its own network namespace with a loopback device: an engine with a firewall, and an emulator with two
 * servers and a pod. Prints in one line of JSON which of them can reach which.
 */
import { startOwnDocker } from "../../setup/docker.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { eventually } from "../jobs/observe.ts";
import { ContainerStage } from "./container-stage.ts";

const PORT = 8_000;
const OTHER_PORT = 9_999;

/** A server at two ports. `/reach?at=host:port` says whether it can connect there. */
const SERVER = `const http = require("node:http"), net = require("node:net");
const reach = (at, done) => {
  const [host, port] = at.split(":");
  const socket = net.connect({ host, port: Number(port), timeout: 2000 });
  const end = (how) => { socket.destroy(); done(how); };
  socket.on("connect", () => end("connected")).on("timeout", () => end("nothing")).on("error", ({ code }) => end(code));
};
const answer = (request, response) => {
  const at = new URL(request.url, "http://x").searchParams.get("at");
  if (at === null) response.end("here"); else reach(at, (how) => response.end(how));
};
for (const port of [${PORT}, ${OTHER_PORT}]) http.createServer(answer).listen(port);`;

/** Result of each connection, by the name of its target. */
export type Reached = Readonly<Record<string, string>>;

export interface NetworksSeen {
  /** The answers of both servers to the emulator's requests. */
  readonly emulator: readonly string[];
  /** Targets that the server of one endpoint reaches. */
  readonly server: Reached;
  /** Targets that the program of a pod reaches. */
  readonly pod: Reached;
  /** Between two containers of the engine's default network, as a control. */
  readonly byDefault: string;
  /** Names of networks that are left after the emulator's end, except for the engine's own. */
  readonly left: readonly string[];
  /** Log lines about containers that can reach each other. */
  readonly warnings: readonly string[];
}

await using docker = await startOwnDocker({ firewall: true });
const imageName = await nodeImage(docker);
const command = { imageName, dockerStartCmd: ["node", "-e", SERVER] };
const stage = await ContainerStage.set(docker);
const { url, apiKey } = stage.emulator;

const ask = async (endpointId: string, path: string) =>
  eventually("the server answers", async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${url}/lb/${endpointId}${path}`, { headers });
    return answer.ok ? answer.text() : undefined;
  });
const addressOf = async (label: string) => {
  const id = await docker.ask("ps", "-q", "--filter", `label=${label}`);
  const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}";
  const [address = "", gateway = ""] = (await docker.ask("inspect", "-f", format, id)).split(" ");
  return { id, address, gateway };
};
const publishedBy = async (id: string) => {
  const [line = ""] = (await docker.ask("port", id)).split("\n");
  return line.replace(/^.*:/u, "");
};

const lb = { type: "LOAD_BALANCING", workersMin: 1 };
const server = { ...command, env: { PORT: String(PORT) } };
const [a, b] = [await stage.serve(server, lb), await stage.serve(server, lb)];
const emulator = [await ask(a, "/"), await ask(b, "/")];
const other = await addressOf(`sv.endpoint=${b}`);
const pod = await stage.call("POST", "/pods", {
  ...command,
  computeType: "CPU",
  ports: [`${PORT}/http`],
});
const podPort = await eventually("the pod answers", async () => {
  const { portMappings } = await stage.call("GET", `/pods/${String(pod["id"])}`);
  const port = (portMappings as Readonly<Record<string, number>> | null)?.[PORT];
  const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
  return answer?.ok === true ? port : undefined;
});
const podAddress = (await addressOf(`sv.pod=${String(pod["id"])}`)).address;
const [, live = ""] = await stage.emulator.stderrMatch(
  /live protocol also answers containers, at http:\/\/([^"/]+)/u,
);
const [, store = ""] = await stage.emulator.stderrMatch(
  /object store also answers containers, at http:\/\/([^"/]+)/u,
);

const places = {
  "the other server": `${other.address}:${PORT}`,
  "another port of its container": `${other.address}:${OTHER_PORT}`,
  "its published port": `${other.gateway}:${await publishedBy(other.id)}`,
  "the pod": `${podAddress}:${PORT}`,
  "the live door": live,
  "the object store": store,
};
const reachedBy = async (askIt: (path: string) => Promise<string>): Promise<Reached> => {
  const reached: Record<string, string> = {};
  for (const [what, at] of Object.entries(places)) reached[what] = await askIt(`/reach?at=${at}`);
  return reached;
};
const fromServer = await reachedBy((path) => ask(a, path));
const fromPod = await reachedBy(async (path) =>
  (await fetch(`http://127.0.0.1:${podPort}${path}`)).text(),
);
const { stderrLines } = stage.emulator;
await stage[Symbol.asyncDispose]();
const networks = await docker.ask(
  "network",
  "ls",
  "--filter",
  "type=custom",
  "--format",
  "{{.Name}}",
);

const start = async () =>
  docker.ask("run", "-d", "-p", `127.0.0.1::${PORT}`, imageName, "node", "-e", SERVER);
const [first, second] = [await start(), await start()];
const peer = await docker.ask("inspect", "-f", "{{.NetworkSettings.IPAddress}}", second);
const byDefault = await eventually("the first answers", async () => {
  const at = `http://127.0.0.1:${await publishedBy(first)}/reach?at=${peer}:${PORT}`;
  const text = await fetch(at).then(
    (answer) => answer.text(),
    () => undefined,
  );
  return text === "ECONNREFUSED" ? undefined : text;
});

const seen: NetworksSeen = {
  emulator,
  server: fromServer,
  pod: fromPod,
  byDefault,
  warnings: stderrLines.filter((line) => line.includes("containers can reach each other")),
  left: networks.split("\n").filter((line) => line !== ""),
};
console.log(JSON.stringify(seen));
