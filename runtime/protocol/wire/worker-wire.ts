/** The wire form of a worker's session: its messages as bytes, and the definition of the gRPC service that carries them. */
import type { Buffer } from "node:buffer";
import { ServiceMessage, WorkerMessage } from "./messages.ts";
import { WireError } from "./wire-error.ts";

export { MessageLink } from "./message-link.ts";
export { MESSAGE_MAX_BYTES, PIECE_BYTES, PiecesInMemory, type PieceSpace } from "./pieces.ts";
export {
  encodeServiceMessage as writeServiceMessage,
  encodeWorkerMessage as writeWorkerMessage,
} from "./encode-messages.ts";
export { decodeOrders, encodeOrders } from "./wire-orders.ts";
export { decodeReport, encodeReport } from "./wire-report.ts";
export { WireError };
export type { ServiceMessage, WorkerMessage };

/** @throws WireError for bytes that are no message */
export function readWorkerMessage(bytes: Buffer): WorkerMessage {
  return read(WorkerMessage, bytes);
}

/** @throws WireError for bytes that are no message */
export function readServiceMessage(bytes: Buffer): ServiceMessage {
  return read(ServiceMessage, bytes);
}

function read<Message>(type: { decode(bytes: Buffer): Message }, bytes: Buffer): Message {
  try {
    return type.decode(bytes);
  } catch {
    throw new WireError("encoding", "is not that of protobuf");
  }
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** The service definition for @grpc/grpc-js at both ends, which carries messages as bytes. */
export const WORKER_SERVICE = {
  session: {
    path: "/sv.worker.v1.WorkerService/Session",
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
} as const;
