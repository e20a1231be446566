/** `POST /emulator/workers/{workerId}/drain`: lets a worker finish its jobs and leave. */
import { drainWorker as drain } from "../../../engine/workers/operate-worker.ts";
import { noContent } from "../../schemas/contract.ts";
import { endpointOfWorker } from "./endpoint-of-worker.ts";
import type { Operation } from "../../operation/operation.ts";

export const drainWorker: Operation<{ readonly workerId: string }> = {
  methods: ["POST"],
  path: "/emulator/workers/:workerId/drain",
  owner: endpointOfWorker,
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 202: noContent("It gets no further job, and leaves when it holds none.") },
    errors: ["worker_not_found"],
  },
  async perform({ service, path }) {
    drain(service.engine, path.workerId);
    return { status: 202, pieces: [] };
  },
};
