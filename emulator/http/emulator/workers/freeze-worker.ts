/** `POST /emulator/workers/{workerId}/freeze`: freezes a worker (`frozen: true`), or lets it go on. */
import { readFields } from "../../../core/input/input-fields.ts";
import { freezeWorker as freeze } from "../../../engine/workers/operate-worker.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { json } from "../../schemas/contract.ts";
import { freezeSchema, operatedSchema } from "../../schemas/operated-worker.ts";
import { endpointOfWorker } from "./endpoint-of-worker.ts";
import type { Operation } from "../../operation/operation.ts";

export const freezeWorker: Operation<{ readonly workerId: string }> = {
  methods: ["POST"],
  path: "/emulator/workers/:workerId/freeze",
  owner: endpointOfWorker,
  body: "read",
  access: "admin",
  contract: {
    tag: "emulator",
    takes: freezeSchema,
    answers: { 200: json("It is so now.", operatedSchema) },
    errors: ["worker_not_found", "worker_out_of_reach"],
  },
  async perform({ service, path, request, response }) {
    const { frozen } = readFields(freezeSchema, ["frozen"], await readJsonBody(request, response));
    await freeze(service.engine, path.workerId, frozen);
    const subject = `${path.workerId} ${frozen ? "frozen" : "let go"}`;
    return { ...jsonAnswer({ id: path.workerId, frozen }), subject };
  },
};
