/** `POST /pods`: creates a pod, which is to run from then on (live). */
import { podInputSchema, readPodInput } from "../../core/pods/pod-input.ts";
import { createPod as create } from "../../engine/pods/manage-pods.ts";
import { json } from "../schemas/contract.ts";
import { podSchema } from "../schemas/pod.ts";
import { readJsonBody } from "../requests/json-body.ts";
import type { Operation } from "../operation.ts";
import { podBody } from "./pod-body.ts";

export const createPod: Operation = {
  methods: ["POST"],
  path: "/v1/pods",
  body: "read",
  contract: {
    tag: "pods",
    takes: podInputSchema,
    answers: { 201: json("The new pod.", podSchema) },
    errors: ["storage_full"],
  },
  async perform({ service: { engine }, dialect, request, response }) {
    const input = readPodInput(await readJsonBody(request, response));
    const body = dialect.pod(podBody(engine, await create(engine, input)));
    return { status: 201, pieces: [JSON.stringify(body)] };
  },
};
