/** A bidirectional gRPC method for raw bytes, for both ends of the gRPC floor. */
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

/** gRPC's default limit is 4 MB. */
export const ANY_SIZE: ChannelOptions = { "grpc.max_receive_message_length": -1 };
