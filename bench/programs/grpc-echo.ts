/** The far end of the gRPC floor: a server that sends every message back. */
import grpc from "@grpc/grpc-js";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { ANY_SIZE, echoMethod } from "../floors/grpc-echo-method.ts";

const listenShape = z.object({ address: z.string() });

const server = new grpc.Server(ANY_SIZE);
const talk: grpc.handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.on("data", (message: Buffer) => call.write(message));
  call.on("end", () => call.end());
};
server.addService({ talk: echoMethod }, { talk });

answerQuestions(async (question) => {
  const { address } = listenShape.parse(question);
  await new Promise<void>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure();
    server.bindAsync(address, credentials, (error) => (error === null ? resolve() : reject(error)));
  });
  return null;
});
