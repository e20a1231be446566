/** `GET /templates`: the templates made over this interface, and others that are asked for, as a bare array (spec). */
import { z } from "zod";
import { listTemplates as list } from "../../../engine/resources/manage-templates.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { templateQuery, templateSchema } from "../../schemas/template.ts";
import type { Operation } from "../../operation.ts";
import { readTemplateIncludes, showsTemplate } from "./template-includes.ts";

export const listTemplates: Operation = {
  methods: ["GET"],
  path: "/v1/templates",
  body: "skipped",
  contract: {
    tag: "templates",
    query: templateQuery,
    answers: { 200: json("In order of their names.", z.array(templateSchema)) },
  },
  async perform({ service, dialect, query }) {
    const includes = readTemplateIncludes(query);
    const templates = list(service.engine).filter((template) => showsTemplate(template, includes));
    return jsonAnswer(templates.map((template) => dialect.template(template)));
  },
};
