/** What BullMQ's client and worker agree on. */

export const BULLMQ_QUEUE = "bench";
