/** Health checks of the service. */
import { z } from "zod";
import { ServiceError } from "../../../core/service-error.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { answered, json } from "../../schemas/contract.ts";

const isAlive: Operation = {
  methods: ["GET"],
  path: "/livez",
  access: "probe",
  owner: "any",
  contract: {
    tag: "emulator",
    answers: { 200: json("It answers.", answered("Alive", { alive: z.literal(true) })) },
  },
  perform: async () => jsonAnswer({ alive: true }),
};

const readySchema = answered("Ready", {
  ready: z.literal(true),
  notes: z
    .array(z.string())
    .optional()
    .meta({ description: "Warnings for the operator, such as clocks that differ." }),
});

const isReady: Operation = {
  methods: ["GET"],
  path: "/readyz",
  access: "probe",
  owner: "any",
  contract: {
    tag: "emulator",
    answers: { 200: json("It is ready.", readySchema) },
    errors: ["not_ready"],
  },
  async perform({ service }) {
    const { engine } = service;
    const problems = service.stopping
      ? ["the service is stopping"]
      : await engine.readiness.missing(engine);
    const notes = engine.readiness.notes();
    if (problems.length === 0)
      return jsonAnswer({ ready: true, ...(notes.length > 0 && { notes }) });
    throw new ServiceError("not_ready", `not ready: ${problems.join("; ")}`, { problems });
  },
};

export const PROBE_OPERATIONS = {
  /** `GET /livez`: the process answers; nothing is checked, also while the service stops (ours). */
  isAlive,
  /** `GET /readyz`: the service has started, its store works, and it is not stopping; 503 names what is missing (ours). */
  isReady,
};
