/** The ids of workers that are pods of a cluster: by them a job says that its worker may have outlived the service. */
const PREFIX = "pod-";

/** @param text that nobody else has */
export function podWorkerId(text: string): string {
  return PREFIX + text;
}

/** Whether the worker is a pod, which goes on when the process that has started it is killed. */
export function isPodWorker(workerId: string): boolean {
  return workerId.startsWith(PREFIX);
}
