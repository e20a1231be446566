/** Actions that the tests of the rules repeat: submit, run and read jobs over HTTP. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import type { ScriptedWorker } from "../unit/scripted-worker.ts";
import type { TestHttp } from "../unit/http/http-harness.ts";

/** Submits to the endpoint `echo` by `/run`; returns the job's id. */
export async function submit(
  service: TestHttp,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { json } = await service.call("POST", "/v2/echo/run", { body: { input: {}, ...body } });
  return (json as { id: string }).id;
}

export interface RunningJob {
  readonly id: string;
  readonly job: HandedJob;
  readonly worker: ScriptedWorker;
}

/** A job that has been handed to its own worker. */
export async function submitRunning(
  service: TestHttp,
  body: Readonly<Record<string, unknown>> = {},
): Promise<RunningJob> {
  const worker = await service.test.connectWorker();
  const id = await submit(service, body);
  return { id, worker, job: await worker.nextJob() };
}

/** The job as `/status` shows it; `status` is the HTTP status of a deleted job. */
export async function show(
  service: TestHttp,
  id: string,
): Promise<{ readonly status: string | number; readonly output?: unknown }> {
  const { json } = await service.call("GET", `/v2/echo/status/${id}`);
  return json as { status: string | number };
}

/** A submission with a body of exactly this size. */
export function bodyOf(bytes: number): string {
  const empty = '{"input":{"text":""}}';
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}
