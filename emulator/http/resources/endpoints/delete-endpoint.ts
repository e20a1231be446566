/** `DELETE /endpoints/{id}`: deletes an endpoint and its jobs; its workers leave (spec). */
import { deleteEndpoint as remove } from "../../../engine/resources/manage-endpoints.ts";
import { NO_CONTENT } from "../../answers/answer.ts";
import type { EndpointPath, Operation } from "../../operation.ts";
import { noContent } from "../../schemas/contract.ts";

export const deleteEndpoint: Operation<EndpointPath> = {
  methods: ["DELETE"],
  path: "/v1/endpoints/:endpointId",
  body: "skipped",
  contract: {
    tag: "endpoints",
    answers: { 204: noContent("It is gone.") },
    errors: ["endpoint_not_found", "storage_full"],
  },
  async perform({ service, path }) {
    await remove(service.engine, path.endpointId);
    return NO_CONTENT;
  },
};
