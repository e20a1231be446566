/** `GET /templates/{id}`: one template (spec). */
import { readTemplate as read } from "../../engine/manage-templates.ts";
import { jsonAnswer } from "../answer.ts";
import type { Operation, TemplatePath } from "../operation.ts";

export const readTemplate: Operation<TemplatePath> = {
  methods: ["GET"],
  path: "/v1/templates/:templateId",
  body: "skipped",
  async perform({ service, path }) {
    return jsonAnswer(read(service.engine, path.templateId));
  },
};
