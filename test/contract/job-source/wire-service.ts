/** A server of frames or of gRPC that a test scripts. */
import { once } from "node:events";
import fs from "node:fs/promises";
import { createServer, type Server as SocketServer, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import {
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import { tellFrames } from "../../../emulator/grpc/frames.ts";
import type { WorkerCall } from "../../../emulator/grpc/wire-session.ts";
import {
  decodeReport,
  encodeOrders,
  MESSAGE_MAX_BYTES,
  MessageLink,
  PiecesInMemory,
  readWorkerMessage,
  WORKER_SERVICE,
  type WorkerMessage,
  writeServiceMessage,
} from "../../../runtime/protocol/wire/worker-wire.ts";
import { ServiceJobSource } from "../../../runtime/source/service-job-source.ts";
import { ScriptedSession, type ScriptedService } from "./scripted-service.ts";

type GrpcCall = ServerDuplexStream<Buffer, Buffer>;

export const TOKEN = "worker-token";
const refusals = { token: status.UNAUTHENTICATED, endpoint: status.NOT_FOUND } as const;

abstract class WireService implements ScriptedService {
  #waiting: ((session: ScriptedSession) => void)[] = [];
  #opened: ScriptedSession[] = [];
  #refusal: "token" | "endpoint" | undefined;

  /** As `SV_SERVICE_ADDRESS` would name it. */
  abstract readonly address: string;
  abstract stop(): Promise<void>;
  abstract restart(): Promise<void>;

  nextSession(): Promise<ScriptedSession> {
    const opened = this.#opened.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  refuse(because: "token" | "endpoint"): void {
    this.#refusal = because;
  }

  newSource(): ServiceJobSource {
    return new ServiceJobSource({
      address: this.address,
      token: TOKEN,
      runtimeVersion: "1.2.3",
      reconnect: { firstMs: 1, maxMs: 5 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  protected serve(call: WorkerCall, token: string): void {
    if (this.#refusal !== undefined || token !== TOKEN) {
      call.emit("error", { code: refusals[this.#refusal ?? "token"], details: "go away" });
      return;
    }
    const session = new ScriptedSession(
      (orders) => void call.write(writeServiceMessage(encodeOrders(orders))),
      () => call.emit("error", { code: status.UNAVAILABLE, details: "cut" }),
    );
    const link = new MessageLink<WorkerMessage, PiecesInMemory>({
      write: (parts) => void call.write(writeServiceMessage({ ...encodeOrders({}), ...parts })),
      spaceFor: (sizeBytes) => new PiecesInMemory(sizeBytes),
      allSent: () => undefined,
    });
    call.on("data", (bytes: Buffer) => {
      const taken = link.receive(readWorkerMessage(bytes));
      if (taken === undefined) return;
      if (taken.large) {
        session.heard(decodeReport(readWorkerMessage(taken.large.whole)));
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

/** Listens at a port of its own, which it keeps. */
export class GrpcService extends WireService {
  #server = new Server();
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    this.#server.forceShutdown();
  }

  async restart(): Promise<void> {
    this.#server = new Server({ "grpc.max_receive_message_length": MESSAGE_MAX_BYTES });
    const session = (call: GrpcCall) => {
      const [authorization] = call.metadata.get("authorization");
      this.serve(call, String(authorization).replace("Bearer ", ""));
    };
    this.#server.addService(WORKER_SERVICE, { session: session as UntypedHandleCall });
    const insecure = ServerCredentials.createInsecure();
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(this.address, insecure, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }
}

/** Listens on a socket of its own in a new folder. */
export class FrameService extends WireService {
  readonly #folder: string;
  readonly #sockets = new Set<Socket>();
  #server: SocketServer | undefined;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  get address(): string {
    return `unix:${path.join(this.#folder, "service.sock")}`;
  }

  async stop(): Promise<void> {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async restart(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      tellFrames(socket, {
        frames: (call, { token }) => this.serve(call, token),
        other: () => socket.destroy(),
      });
    });
    this.#server.listen(path.join(this.#folder, "service.sock"));
    await once(this.#server, "listening");
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await fs.rm(this.#folder, { recursive: true });
  }
}

export async function startGrpcService(): Promise<GrpcService> {
  const service = new GrpcService();
  await service.restart();
  return service;
}

export async function startFrameService(): Promise<FrameService> {
  const service = new FrameService(await fs.mkdtemp(path.join(os.tmpdir(), "sv-frames-")));
  await service.restart();
  return service;
}
