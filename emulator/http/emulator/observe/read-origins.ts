/** `GET /emulator/origins`: the files that endpoints are served from, and the variables their secrets were taken from. */
import { z } from "zod";
import { WORKING_DIRECTORIES } from "../../../core/resources/served-endpoint.ts";
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
      cwd: z.string().optional().meta({ description: "The directory its command is served from." }),
      workingDirectory: z
        .enum(WORKING_DIRECTORIES)
        .optional()
        .meta({ description: "Whether the command's workers run there; absent for `own`." }),
      volumePath: z.string().optional().meta({ description: "Its directory for files that stay." }),
    }),
  ),
  templates: z
    .array(z.strictObject({ id: z.string(), envSources: z.record(z.string(), z.string()) }))
    .meta({ description: "Those with environment variables that were taken from others." }),
});

export const readOrigins: Operation = {
  methods: ["GET"],
  path: "/emulator/origins",
  owner: "any",
  access: "admin",
  contract: { tag: "emulator", answers: { 200: json("Where things come from.", schema) } },
  perform: async ({ service }) => jsonAnswer(listOrigins(service.engine)),
};
