/** The gRPC form of a worker's session: the service definition of both sides, and the conversion of its messages. */
import type { Buffer } from "node:buffer";
import { ServiceMessage, WorkerMessage } from "../generated/worker.ts";
import { encodeServiceMessage, encodeWorkerMessage } from "./encode-messages.ts";

export { MessageLink } from "./message-link.ts";
export { MESSAGE_MAX_BYTES, PIECE_BYTES, PiecesInMemory, type PieceSpace } from "./pieces.ts";
export { WireError } from "./wire-error.ts";
export { decodeOrders, encodeOrders } from "./wire-orders.ts";
export { decodeReport, encodeReport } from "./wire-report.ts";
export type { ServiceMessage, WorkerMessage };

/**
 * The service definition for @grpc/grpc-js, on the client's side and the server's. Unlike the generated one, it does not copy a
 * message again to make it a Buffer, and copies chunks and large inputs only once.
 */
export const WORKER_SERVICE = {
  session: {
    path: "/sv.worker.v1.WorkerService/Session",
    requestStream: true,
    responseStream: true,
    requestSerialize: encodeWorkerMessage,
    requestDeserialize: (bytes: Buffer): WorkerMessage => WorkerMessage.decode(bytes),
    responseSerialize: encodeServiceMessage,
    responseDeserialize: (bytes: Buffer): ServiceMessage => ServiceMessage.decode(bytes),
  },
} as const;
