/** A sender that is made at the first call, because loading its HTTP client would double the start time of the service. */
import type { HttpSenderOptions } from "./http-sender.ts";
import type { WebhookSender } from "./webhook-sender.ts";

export function createLazySender(options: HttpSenderOptions): WebhookSender {
  let made: Promise<WebhookSender> | undefined;
  const make = async () => (await import("./http-sender.ts")).createHttpSender(options);
  return {
    async send(call, signal) {
      made ??= make();
      return (await made).send(call, signal);
    },
    async close() {
      await (await made)?.close();
    },
  };
}
