/** `DELETE /templates/{id}`: deletes a template that no endpoint uses (spec). */
import { deleteTemplate as remove } from "../../../engine/resources/manage-templates.ts";
import { NO_CONTENT } from "../../answers/answer.ts";
import type { Operation, TemplatePath } from "../../operation.ts";
import { noContent } from "../../schemas/contract.ts";

export const deleteTemplate: Operation<TemplatePath> = {
  methods: ["DELETE"],
  path: "/v1/templates/:templateId",
  body: "skipped",
  contract: {
    tag: "templates",
    answers: { 204: noContent("It is gone.") },
    errors: ["template_not_found", "in_use", "storage_full"],
  },
  async perform({ service, path }) {
    await remove(service.engine, path.templateId);
    return NO_CONTENT;
  },
};
