/** Ids of workers that are pods of a cluster. A job with such a worker knows that it may have outlived the service. */
const PREFIX = "pod-";

/** @param text a unique text */
export function podWorkerId(text: string): string {
  return PREFIX + text;
}

/** Whether the worker is a pod, which goes on when the process that started it is killed. */
export function isPodWorker(workerId: string): boolean {
  return workerId.startsWith(PREFIX);
}
