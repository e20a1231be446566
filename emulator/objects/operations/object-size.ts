/** Bounds of sizes that S3 publishes. */

const MIB = 1_048_576;

/** Of one PUT, one part and one copy (spec: S3). */
export const PUT_MAX_BYTES = 5 * 1_024 * MIB;

/** Of every part but the last (spec: S3). */
export const PART_MIN_BYTES = 5 * MIB;

/** Parts are numbered from 1 on (spec: S3). */
export const PART_NUMBER_MAX = 10_000;
