/** `GET /emulator/origins`: the files that endpoints come from, and the variables that their secrets came from. */
import { z } from "zod";
import { WORKING_DIRECTORIES } from "../../../core/resources/endpoints/served-endpoint.ts";
import { listOrigins } from "../../../engine/resources/list-origins.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { answered, json } from "../../schemas/contract.ts";
import type { Operation } from "../../operation/operation.ts";

const schema = answered("Origins", {
  endpoints: z.array(
    z.strictObject({
      id: z.string(),
      handlerPath: z.string().optional(),
      command: z.array(z.string()).optional(),
      cwd: z
        .string()
        .optional()
        .meta({ description: "The directory that its command is served from." }),
      workingDirectory: z
        .enum(WORKING_DIRECTORIES)
        .optional()
        .meta({ description: "Working directory of the command's workers; absent for `own`." }),
      volumePath: z.string().optional().meta({ description: "The directory that is its volume." }),
    }),
  ),
  templates: z
    .array(z.strictObject({ id: z.string(), envSources: z.record(z.string(), z.string()) }))
    .meta({ description: "Templates with environment variables taken from other variables." }),
});

export const readOrigins: Operation = {
  methods: ["GET"],
  path: "/emulator/origins",
  owner: "any",
  access: "admin",
  contract: { tag: "emulator", answers: { 200: json("The origins.", schema) } },
  perform: async ({ service }) => jsonAnswer(listOrigins(service.engine)),
};
