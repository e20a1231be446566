/** `GET /emulator/clock`: service time, how far it was advanced, and when something is due next. */
import { readClock as read } from "../../engine/time/advance-clock.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { clockSchema } from "../schemas/clock.ts";
import { json } from "../schemas/contract.ts";
import type { Operation } from "../operation.ts";
import { clockBody } from "./clock-body.ts";

export const readClock: Operation = {
  methods: ["GET"],
  path: "/emulator/clock",
  body: "skipped",
  access: "admin",
  contract: { tag: "emulator", answers: { 200: json("The clock.", clockSchema) } },
  perform: async ({ service }) => jsonAnswer(clockBody(read(service.engine))),
};
