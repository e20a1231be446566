/** `POST /emulator/workers/{workerId}/kill`: ends a worker like a crash; its jobs are recovered. */
import { killWorker as kill } from "../../../engine/workers/operate-worker.ts";
import { noContent } from "../../schemas/contract.ts";
import { endpointOfWorker } from "./endpoint-of-worker.ts";
import type { Operation } from "../../operation/operation.ts";

export const killWorker: Operation<{ readonly workerId: string }> = {
  methods: ["POST"],
  path: "/emulator/workers/:workerId/kill",
  owner: endpointOfWorker,
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 202: noContent("Its process or container is being killed.") },
    errors: ["worker_not_found", "worker_out_of_reach"],
  },
  async perform({ service, path }) {
    kill(service.engine, path.workerId);
    return { status: 202, pieces: [] };
  },
};
