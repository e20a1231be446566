/** `POST /templates`: creates a template (spec). */
import { readTemplateInput, templateInputSchema } from "../../core/template-input.ts";
import { createTemplate as create } from "../../engine/manage-templates.ts";
import { jsonAnswer } from "../answer.ts";
import { readJsonBody } from "../json-body.ts";
import type { Operation } from "../operation.ts";
import { json } from "../contract/contract.ts";
import { templateSchema } from "../contract/template.ts";

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
