/** `POST /templates`: creates a template (spec). */
import { readTemplateInput } from "../../core/template-input.ts";
import { createTemplate as create } from "../../engine/manage-templates.ts";
import { jsonAnswer } from "../answer.ts";
import { readJsonBody } from "../json-body.ts";
import type { Operation } from "../operation.ts";

export const createTemplate: Operation = {
  methods: ["POST"],
  path: "/v1/templates",
  body: "read",
  async perform({ service, request, response }) {
    const input = readTemplateInput(await readJsonBody(request, response));
    return jsonAnswer(await create(service.engine, input));
  },
};
