/** Answers BuildKit during a build: with secrets, which get into no layer and no history, and with health checks. */
import { randomUUID } from "node:crypto";
import { Duplex } from "node:stream";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  status,
} from "@grpc/grpc-js";
import type Docker from "dockerode";

/** Secrets by the ids with which a Dockerfile mounts them. */
export type Secrets = ReadonlyMap<string, Uint8Array>;

export interface BuildKitSession extends Disposable {
  readonly id: string;
}

const GET_SECRET = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
/** BuildKit drops a session that does not answer this call for some seconds. */
const CHECK_HEALTH = "/grpc.health.v1.Health/Check";

/** Whether BuildKit builds, as it does for `docker build`: unless the engine has none, or DOCKER_BUILDKIT is 0. */
export async function hasBuildKit(docker: Docker): Promise<boolean> {
  if (process.env["DOCKER_BUILDKIT"] === "0") return false;
  const socket = await openSocket(docker, randomUUID()).catch(() => undefined);
  socket?.destroy();
  return socket !== undefined;
}

export async function openSession(docker: Docker, secrets: Secrets): Promise<BuildKitSession> {
  const id = randomUUID();
  const socket = await openSocket(docker, id);
  const server = new Server();
  server.addService({ getSecret: method(GET_SECRET) }, { getSecret: giveFrom(secrets) });
  server.addService({ check: method(CHECK_HEALTH) }, { check: sayServing });
  server.createConnectionInjector(ServerCredentials.createInsecure()).injectConnection(socket);
  return {
    id,
    [Symbol.dispose]() {
      server.forceShutdown();
      socket.destroy();
    },
  };
}

/** Turns a request into a connection on which the engine calls. @throws Error if the engine has no BuildKit */
async function openSocket(docker: Docker, id: string): Promise<Duplex> {
  const socket = await dial(docker, {
    path: "/session",
    method: "POST",
    hijack: true,
    headers: {
      Upgrade: "h2c",
      "X-Docker-Expose-Session-Uuid": id,
      "X-Docker-Expose-Session-Name": "sv-emulate",
      "X-Docker-Expose-Session-Grpc-Method": [GET_SECRET, CHECK_HEALTH],
    },
    statusCodes: { 200: true },
  });
  if (socket instanceof Duplex) return socket;
  throw new Error("the Docker engine opens no session for BuildKit");
}

/** Sends a request for which the engine's client has no method. */
export async function dial(docker: Docker, options: object): Promise<unknown> {
  const modem = docker.modem as {
    dial(asked: object, done: (error: Error | null, result: unknown) => void): void;
  };
  return new Promise((resolve, reject) => {
    modem.dial(options, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

type Call = ServerUnaryCall<Buffer, Buffer>;
type Answer = sendUnaryData<Buffer>;

/** Messages are read and written below, without a schema: each has one field. */
function method(path: string) {
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    ...{ path, requestStream: false, responseStream: false },
    ...{ requestSerialize: same, requestDeserialize: same },
    ...{ responseSerialize: same, responseDeserialize: same },
  };
}

function giveFrom(secrets: Secrets) {
  return ({ request }: Call, answer: Answer): void => {
    const id = firstText(request);
    const secret = secrets.get(id);
    if (secret === undefined) {
      answer({ code: status.NOT_FOUND, details: `secret ${id}: not found` });
    } else {
      answer(null, Buffer.from(new BinaryWriter().uint32(FIRST_BYTES).bytes(secret).finish()));
    }
  };
}

function sayServing(_: Call, answer: Answer): void {
  answer(null, Buffer.from(new BinaryWriter().uint32(FIRST_NUMBER).int32(SERVING).finish()));
}

/** Tags of field 1 of a message, by kind. */
const FIRST_NUMBER = 8;
const FIRST_BYTES = 10;
const SERVING = 1;

function firstText(message: Uint8Array): string {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) return reader.string();
    reader.skip(type);
  }
  return "";
}
