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
        description: "The present values of all metrics.",
        content: { "text/plain": "Prometheus' text format, version 0.0.4." },
      },
    },
  },
  async perform({ service }) {
    // The library is loaded with the first request.
    const { exposition } = await import("./exposition.ts");
    const { text, contentType } = await exposition(service.engine);
    return { status: 200, pieces: [text], headers: { "content-type": contentType } };
  },
};
