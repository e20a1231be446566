/** A bidirectional gRPC method that carries bytes as they are: what both ends of the gRPC floor know. */
import type { ChannelOptions, MethodDefinition } from "@grpc/grpc-js";

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

/** gRPC takes messages of up to 4 MB only unless it is told otherwise. */
export const ANY_SIZE: ChannelOptions = { "grpc.max_receive_message_length": -1 };
