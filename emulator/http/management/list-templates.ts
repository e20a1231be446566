/** `GET /templates`: all templates as a bare array (spec). */
import { listTemplates as list } from "../../engine/manage-templates.ts";
import { jsonAnswer } from "../answer.ts";
import type { Operation } from "../operation.ts";

export const listTemplates: Operation = {
  methods: ["GET"],
  path: "/v1/templates",
  body: "skipped",
  async perform({ service }) {
    return jsonAnswer(list(service.engine));
  },
};
