/** The states a worker goes through, as the service sees them. */

/**
 * - `initializing`: started, its handler not loaded yet; of a server: it is not healthy yet, or says that it starts again
 * - `ready`: takes jobs or requests; idle or running, by whether it holds any
 * - `draining`: finishes what it holds and takes nothing more
 * - `unhealthy`: its handler cannot be loaded, or it has ended unasked; of a server: it is out of rotation, perhaps for a time
 * - `lost`: it was silent or not ready for too long; its jobs went back, and it is being ended
 */
export type WorkerState = "initializing" | "ready" | "draining" | "unhealthy" | "lost";
