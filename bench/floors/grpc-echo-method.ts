/** A bidirectional gRPC method that carries bytes as they are: what both ends of the gRPC floor know. */
import type { MethodDefinition } from "@grpc/grpc-js";

const asIs = (bytes: Buffer): Buffer => bytes;

export const echoMethod: MethodDefinition<Buffer, Buffer> = {
  path: "/bench.Echo/Talk",
  requestStream: true,
  responseStream: true,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};
