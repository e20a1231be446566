/** Settings that BullMQ's client and worker share. */

export const BULLMQ_QUEUE = "bench";
