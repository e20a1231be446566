/** A large report of a worker while its pieces arrive: in memory while there is room, else in a file, where it waits for room. */
import { Buffer } from "node:buffer";
import type { WorkerReport } from "../../runtime/protocol/session.ts";
import {
  decodeReport,
  type PieceSpace,
  readWorkerMessage,
} from "../../runtime/protocol/wire/worker-wire.ts";
import { freeAlone, largeMemory } from "../core/jobs/free-memory.ts";
import type { BytesInFlight } from "../engine/limits/bytes-in-flight.ts";
import { LargeBody } from "../net/large-body.ts";

/** Maximum bytes of a report with chunks. A larger report has one output. */
const CHUNKS_MAX_BYTES = 5_000_000;

/** Maximum bytes around a piece in the memory of its message. */
const FRAME_BYTES = 64;

export class LargeReport extends LargeBody implements PieceSpace {
  /** @param signal aborts when the session is over */
  constructor(sizeBytes: number, receiving: BytesInFlight, signal: AbortSignal) {
    super({
      ...{ inFlight: receiving, declared: sizeBytes, signal },
      memoryFor:
        sizeBytes > CHUNKS_MAX_BYTES ? largeMemory : (bytes) => Buffer.allocUnsafeSlow(bytes),
      frameBytes: FRAME_BYTES,
    });
  }

  override add(data: Uint8Array): boolean {
    const isCopied = super.add(data);
    if (isCopied) freeAlone(data, FRAME_BYTES);
    return isCopied;
  }

  /** @throws WireError; ServiceError too_much_in_flight; the reason of the signal */
  async report(): Promise<WorkerReport> {
    return decodeReport(readWorkerMessage(await this.whole()));
  }
}
