/** `GET /templates/{id}`: one template (spec). */
import { readTemplate as read } from "../../../engine/resources/manage-templates.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { templateQuery, templateSchema } from "../../schemas/template.ts";
import type { Operation, TemplatePath } from "../../operation.ts";
import { readTemplateIncludes } from "./template-includes.ts";

export const readTemplate: Operation<TemplatePath> = {
  methods: ["GET"],
  path: "/v1/templates/:templateId",
  body: "skipped",
  contract: {
    tag: "templates",
    query: templateQuery,
    answers: { 200: json("The template.", templateSchema) },
    errors: ["template_not_found"],
  },
  async perform({ service, dialect, path, query }) {
    // Checked, but without effect: whoever names a template by its id is shown it.
    readTemplateIncludes(query);
    return jsonAnswer(dialect.template(read(service.engine, path.templateId)));
  },
};
