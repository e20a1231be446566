/** The checksums of S3, computed over content as it is read. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ChecksumAlgorithm } from "../object-store.ts";

export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** Call it once, at the end. */
  digest(): Promise<Uint8Array>;
}

export async function startChecksum(algorithm: ChecksumAlgorithm): Promise<RunningChecksum> {
  switch (algorithm) {
    case "sha1":
    case "sha256": {
      const hash = createHash(algorithm);
      return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest() };
    }
    case "crc32":
      return runningCrc32();
    case "crc32c": {
      // Loaded at the first use: most services never need it.
      const { Crc32c } = await import("@aws-sdk/checksums/crc");
      return new Crc32c();
    }
    case "crc64nvme": {
      const { Crc64Nvme } = await import("@aws-sdk/checksums/crc");
      return new Crc64Nvme();
    }
  }
}

function runningCrc32(): RunningChecksum {
  let value = 0;
  return {
    update(bytes) {
      value = crc32(bytes, value);
    },
    async digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}
