/** `POST /templates`: creates a template (spec). */
import { readTemplateInput, templateInputSchema } from "../../../core/resources/template-input.ts";
import { createTemplate as create } from "../../../engine/resources/manage-templates.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { Operation } from "../../operation.ts";
import { json } from "../../schemas/contract.ts";
import { templateSchema } from "../../schemas/template.ts";

export const createTemplate: Operation = {
  methods: ["POST"],
  path: "/v1/templates",
  body: "read",
  contract: {
    tag: "templates",
    takes: templateInputSchema,
    answers: { 200: json("The template.", templateSchema) },
    errors: ["template_name_taken", "storage_full"],
  },
  async perform({ service, dialect, request, response }) {
    const input = readTemplateInput(await readJsonBody(request, response));
    return jsonAnswer(dialect.template(await create(service.engine, input)));
  },
};
