/** `DELETE /templates/{id}`: deletes a template that no endpoint uses (spec). */
import { deleteTemplate as remove } from "../../engine/manage-templates.ts";
import { NO_CONTENT } from "../answer.ts";
import type { Operation, TemplatePath } from "../operation.ts";

export const deleteTemplate: Operation<TemplatePath> = {
  methods: ["DELETE"],
  path: "/v1/templates/:templateId",
  body: "skipped",
  async perform({ service, path }) {
    await remove(service.engine, path.templateId);
    return NO_CONTENT;
  },
};
