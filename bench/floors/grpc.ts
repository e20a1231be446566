/** Floor: a message over a bidirectional gRPC stream to another process and its answer, over a unix socket. */
import { once } from "node:events";
import path from "node:path";
import grpc from "@grpc/grpc-js";
import { z } from "zod";
import { payloadBytes } from "../payload.ts";
import { Program } from "../asking.ts";
import { type Floor, medianOf } from "./floor.ts";
import { ANY_SIZE, echoMethod } from "./grpc-echo-method.ts";

export async function grpcFloor(folder: string, message = payloadBytes): Promise<Floor> {
  const server = new Program("grpc-echo");
  const address = `unix:${path.join(folder, "grpc-floor.sock")}`;
  await server.ask(z.null(), { address });
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), ANY_SIZE);
  const { path: method, requestSerialize, responseDeserialize } = echoMethod;
  const stream = client.makeBidiStreamRequest(method, requestSerialize, responseDeserialize);
  return {
    p50Ms: (count) =>
      medianOf(count, async () => {
        const answered = once(stream, "data");
        stream.write(message);
        await answered;
      }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(stream, "status");
      stream.resume().end();
      await ended;
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
