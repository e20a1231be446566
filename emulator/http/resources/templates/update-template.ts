/** `PATCH /templates/{id}`: changes a template; unless it is done in place, the workers of its endpoints are replaced (live). */
import {
  readTemplateChanges,
  templateChangesSchema,
} from "../../../core/resources/template-input.ts";
import { updateTemplate as update } from "../../../engine/resources/update-template.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { templateSchema } from "../../schemas/template.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { Operation, TemplatePath } from "../../operation.ts";

export const updateTemplate: Operation<TemplatePath> = {
  methods: ["PATCH", "PUT"],
  path: "/v1/templates/:templateId",
  aliases: [{ methods: ["POST"], path: "/v1/templates/:templateId/update" }],
  body: "read",
  contract: {
    tag: "templates",
    takes: templateChangesSchema,
    answers: { 200: json("The template as it is now.", templateSchema) },
    errors: ["template_not_found", "template_name_taken", "storage_full"],
  },
  async perform({ service, dialect, path, request, response }) {
    const changes = readTemplateChanges(await readJsonBody(request, response));
    return jsonAnswer(dialect.template(await update(service.engine, path.templateId, changes)));
  },
};
