/** Operations on a worker: drain, kill and freeze. */
import { readFields } from "../../../core/input/input-fields.ts";
import { drainWorker, freezeWorker, killWorker } from "../../../engine/workers/operate-worker.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { json, noContent } from "../../schemas/contract.ts";
import { freezeSchema, operatedSchema } from "../../schemas/operated-worker.ts";
import type { EndpointFinder, Operation } from "../../operation/operation.ts";

interface Share {
  readonly workers: readonly { readonly endpointId: string }[];
}

/** The other replicas are asked for a worker that is unknown here. */
const endpointOfWorker: EndpointFinder<{ readonly workerId: string }> = {
  async find({ service, path: { workerId }, others }) {
    const own = service.engine.fleet.find(workerId);
    if (own !== undefined || others === undefined) return own?.endpointId;
    const shares = await others(`/emulator/workers?workerId=${encodeURIComponent(workerId)}`);
    return shares.flatMap((share) => (share as Share).workers)[0]?.endpointId;
  },
};

type WorkerOperation = Operation<{ readonly workerId: string }>;

const drain: WorkerOperation = {
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
    drainWorker(service.engine, path.workerId);
    return { status: 202, pieces: [] };
  },
};

const kill: WorkerOperation = {
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
    killWorker(service.engine, path.workerId);
    return { status: 202, pieces: [] };
  },
};

const freeze: WorkerOperation = {
  methods: ["POST"],
  path: "/emulator/workers/:workerId/freeze",
  owner: endpointOfWorker,
  access: "admin",
  body: "read",
  contract: {
    tag: "emulator",
    takes: freezeSchema,
    answers: { 200: json("The worker is in that state now.", operatedSchema) },
    errors: ["worker_not_found", "worker_out_of_reach"],
  },
  async perform({ service, path, request, response }) {
    const { frozen } = readFields(freezeSchema, ["frozen"], await readJsonBody(request, response));
    await freezeWorker(service.engine, path.workerId, frozen);
    const subject = `${path.workerId} ${frozen ? "frozen" : "let go"}`;
    return { ...jsonAnswer({ id: path.workerId, frozen }), subject };
  },
};

export const WORKER_OPERATIONS = {
  /** Lets a worker finish its jobs and leave. */
  drainWorker: drain,
  /** Ends a worker like a crash; its jobs are recovered. */
  killWorker: kill,
  /** Freezes a worker (`frozen: true`), or lets it go on. */
  freezeWorker: freeze,
};
