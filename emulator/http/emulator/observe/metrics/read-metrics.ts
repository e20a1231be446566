/** `GET /metrics`: counters, gauges and histograms of the service in Prometheus' text format (ours). */
import type { Operation } from "../../../operation/operation.ts";

export const readMetrics: Operation = {
  methods: ["GET"],
  path: "/metrics",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: {
      200: {
        description: "All metrics as they are now.",
        content: { "text/plain": "Prometheus' text format, version 0.0.4." },
      },
    },
  },
  async perform({ service }) {
    // Its library is loaded when somebody looks for the first time.
    const { exposition } = await import("./exposition.ts");
    const { text, contentType } = await exposition(service.engine);
    return { status: 200, pieces: [text], headers: { "content-type": contentType } };
  },
};
