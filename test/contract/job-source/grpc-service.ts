/** A gRPC server that a test scripts. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import {
  decodeReport,
  encodeOrders,
  MESSAGE_MAX_BYTES,
  MessageLink,
  PiecesInMemory,
  WORKER_SERVICE,
  type ServiceMessage,
  type WorkerMessage,
} from "../../../runtime/protocol/wire/worker-wire.ts";
import { GrpcJobSource } from "../../../runtime/source/grpc.ts";
import { ScriptedSession, type ScriptedService } from "./scripted-service.ts";

type Call = ServerDuplexStream<WorkerMessage, ServiceMessage>;

export const TOKEN = "worker-token";
const refusals = { token: status.UNAUTHENTICATED, endpoint: status.NOT_FOUND } as const;

/** Listens on a socket of its own in a new folder. */
export class GrpcService implements ScriptedService {
  readonly #folder: string;
  #server = new Server();
  #waiting: ((session: ScriptedSession) => void)[] = [];
  #opened: ScriptedSession[] = [];
  #refusal: "token" | "endpoint" | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The address in the form of `SV_SERVICE_ADDRESS`. */
  get address(): string {
    return `unix:${path.join(this.#folder, "service.sock")}`;
  }

  nextSession(): Promise<ScriptedSession> {
    const opened = this.#opened.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  refuse(because: "token" | "endpoint"): void {
    this.#refusal = because;
  }

  async stop(): Promise<void> {
    this.#server.forceShutdown();
    await fs.rm(path.join(this.#folder, "service.sock"), { force: true });
  }

  restart(): Promise<void> {
    this.#server = new Server({ "grpc.max_receive_message_length": MESSAGE_MAX_BYTES });
    const session = ((call: Call) => this.#serve(call)) as UntypedHandleCall;
    this.#server.addService(WORKER_SERVICE, { session });
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(this.address, ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  newSource(): GrpcJobSource {
    return new GrpcJobSource({
      address: this.address,
      token: TOKEN,
      runtimeVersion: "1.2.3",
      reconnect: { firstMs: 1, maxMs: 5 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await fs.rm(this.#folder, { recursive: true });
  }

  #serve(call: Call): void {
    const [authorization] = call.metadata.get("authorization");
    if (this.#refusal !== undefined || authorization !== `Bearer ${TOKEN}`) {
      call.emit("error", { code: refusals[this.#refusal ?? "token"], details: "go away" });
      return;
    }
    const session = new ScriptedSession(
      (orders) => void call.write(encodeOrders(orders)),
      () => call.emit("error", { code: status.UNAVAILABLE, details: "cut" }),
    );
    const link = new MessageLink<WorkerMessage, PiecesInMemory>({
      write: (parts) => void call.write({ ...encodeOrders({}), ...parts }),
      spaceFor: (sizeBytes) => new PiecesInMemory(sizeBytes),
      allSent: () => undefined,
    });
    call.on("data", (message: WorkerMessage) => {
      const taken = link.receive(message);
      if (taken === undefined) return;
      if (taken.large) {
        session.heard(decodeReport(WORKER_SERVICE.session.requestDeserialize(taken.large.whole)));
        taken.done();
      } else session.heard(decodeReport(taken.message));
    });
    call.on("end", () => {
      session.end();
      call.end();
    });
    call.on("error", () => {});
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#opened.push(session);
    else waiting(session);
  }
}

export async function startGrpcService(): Promise<GrpcService> {
  const service = new GrpcService(await fs.mkdtemp(path.join(os.tmpdir(), "sv-grpc-")));
  await service.restart();
  return service;
}
