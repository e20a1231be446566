/** What BullMQ's client and worker agree on. */

export const BULLMQ_QUEUE = "bench";

/** As our echo handler has. */
export const BULLMQ_CONCURRENCY = 50;
