/** A simulated API server for pods, as strict as a real one, which runs pods as processes. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Kind, now, Objects, selected, type Stored } from "./objects.ts";
import { ApiProblem } from "./problem.ts";
import { createBody } from "./create-body.ts";
import { TestNode } from "./node.ts";
import { streamEvents, streamLog } from "./streams.ts";

const TOKEN = "a-service-account-token";
const NAMESPACE = "gpu";

const ROUTE =
  /^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/(?<kind>pods|secrets|configmaps|events)(?:\/(?<name>[^/]+)(?<log>\/log)?)?$/u;

interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string };
}

export class PodsApi implements AsyncDisposable {
  readonly namespace = NAMESPACE;
  readonly objects = new Objects();
  readonly node = new TestNode(this.objects);
  /** Methods and paths of all requests. */
  readonly requests: string[] = [];
  /** Refusals of creations. */
  readonly refusals = new Map<string, ApiProblem>();
  readonly #directory = temporaryDirectory();
  readonly #sockets = new Set<Socket>();
  #server: Server = createServer();
  #port = 0;

  /** Path of a kubeconfig for it. */
  get kubeconfig(): string {
    return join(this.#directory.path, "config");
  }

  get pods(): readonly Stored[] {
    return this.objects.list("pods");
  }

  async start(): Promise<this> {
    await this.back();
    const cluster = {
      server: `http://127.0.0.1:${this.#port}`,
      "insecure-skip-tls-verify": true,
    };
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
      clusters: [{ name: "test", cluster }],
      users: [{ name: "test", user: { token: TOKEN } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    };
    // JSON is valid YAML.
    writeFileSync(this.kubeconfig, JSON.stringify(config));
    return this;
  }

  /** Stops answering. Pods continue. */
  async away(): Promise<void> {
    this.#server.close();
    this.endStreams();
    await once(this.#server, "close");
  }

  async back(): Promise<void> {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("connection", (socket: Socket) => {
      if (!this.#server.listening) return void socket.destroy();
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections. */
  endStreams(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Deletes an object like a user. */
  delete(kind: Kind, name: string, options: DeleteOptions = {}): Stored {
    const object = this.objects.get(kind, name);
    const { uid = object.metadata.uid } = options.preconditions ?? {};
    if (uid !== object.metadata.uid)
      throw new ApiProblem(
        409,
        "Conflict",
        `Operation cannot be fulfilled on ${kind} "${name}": the UID in the precondition (${uid}) does not match the UID in record (${object.metadata.uid})`,
      );
    if (kind !== "pods") this.objects.remove(kind, name);
    else this.#deletePod(object, options.gracePeriodSeconds);
    setTimeout(() => this.#collect(), 20);
    return object;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.away();
    await this.node.stop();
    this.#directory[Symbol.dispose]();
  }

  #deletePod(pod: Stored, asked: number | undefined): void {
    const { spec, status, metadata } = pod;
    const isOver = ["Failed", "Succeeded"].includes(status?.phase ?? "");
    const grace = asked ?? spec?.terminationGracePeriodSeconds ?? 30;
    if (grace === 0 || isOver || spec?.nodeName === undefined)
      return this.objects.remove("pods", metadata.name);
    const at = new Date(Date.now() + grace * 1_000).toISOString();
    const { deletionTimestamp: before } = metadata;
    if (before !== undefined && Date.parse(before) <= Date.parse(at)) return;
    const marked = { deletionTimestamp: at, deletionGracePeriodSeconds: grace };
    this.objects.change("pods", pod, (it) => ({ ...it, metadata: { ...it.metadata, ...marked } }));
  }

  /** Deletes objects without living owners, like every cluster. */
  #collect(): void {
    for (const [kind, { metadata }] of this.objects.orphans())
      if (this.objects.find(kind, metadata.name)) this.delete(kind, metadata.name);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { method = "", url = "", headers } = request;
      const { pathname, searchParams } = new URL(url, "http://server");
      this.requests.push(`${method} ${pathname}`);
      if (headers.authorization !== `Bearer ${TOKEN}`)
        throw new ApiProblem(401, "Unauthorized", "Unauthorized");
      const { namespace, kind, name, log } = ROUTE.exec(pathname)?.groups ?? {};
      if (kind === undefined)
        throw new ApiProblem(404, "NotFound", "the server could not find the requested resource");
      if (namespace !== NAMESPACE)
        throw new ApiProblem(
          403,
          "Forbidden",
          `${kind} is forbidden: User "test" cannot use resource "${kind}" in API group "" in the namespace "${namespace}"`,
        );
      const refusal = method === "POST" ? this.refusals.get(kind) : undefined;
      if (refusal !== undefined) throw refusal;
      if (kind === "events") return this.#listEvents(response, method, searchParams);
      const place = { kind: kind as Kind, name: name ?? "", isLog: log !== undefined };
      await this.#perform(request, response, place, searchParams);
    } catch (error) {
      const problem =
        error instanceof ApiProblem ? error : new ApiProblem(500, "InternalError", String(error));
      send(response, problem.code, problem.status);
    }
  }

  #listEvents(response: ServerResponse, method: string, query: URLSearchParams): void {
    const selector = /^involvedObject\.uid=(?<uid>[\w-]+)$/u.exec(query.get("fieldSelector") ?? "");
    const { uid } = selector?.groups ?? {};
    if (method !== "GET" || uid === undefined)
      throw new ApiProblem(400, "BadRequest", "field label not supported");
    const items = this.node.eventsOf(uid);
    send(response, 200, { kind: "EventList", apiVersion: "v1", metadata: {}, items });
  }

  async #perform(
    request: IncomingMessage,
    response: ServerResponse,
    { kind, name, isLog }: { readonly kind: Kind; readonly name: string; readonly isLog: boolean },
    query: URLSearchParams,
  ): Promise<void> {
    const { objects } = this;
    if (request.method === "POST" && name === "") {
      const made = objects.add(kind, createBody(kind, await bodyOf(request), query));
      setTimeout(() => this.#collect(), 20);
      return send(response, 201, made);
    }
    if (request.method === "DELETE" && name !== "")
      return send(response, 200, this.delete(kind, name, await bodyOf(request)));
    if (request.method !== "GET")
      throw new ApiProblem(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
      );
    if (isLog) {
      const pod = objects.get("pods", name);
      return streamLog(response, pod, this.node.container(pod), query);
    }
    if (name !== "") return send(response, 200, objects.get(kind, name));
    if (query.get("watch") === "true") return streamEvents(response, objects, kind, query);
    const items = objects.list(kind).filter(selected(query));
    const metadata = { resourceVersion: objects.version };
    send(response, 200, { kind: "List", apiVersion: "v1", metadata, items });
  }
}

async function bodyOf<T extends object>(request: IncomingMessage): Promise<T> {
  if (request.headers["content-type"] !== "application/json")
    throw new ApiProblem(
      415,
      "UnsupportedMediaType",
      "the body of the request was in an unknown format",
    );
  return (await json(request)) as T;
}

function send(response: ServerResponse, code: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(code, { "content-type": "application/json", date: now() });
  response.end(JSON.stringify(body));
}

export async function startPodsApi(): Promise<PodsApi> {
  return new PodsApi().start();
}
