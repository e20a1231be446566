/** How a receiver checks that a call is of this service: with the libraries of Standard Webhooks. */

export const SNIPPETS = {
  Node: `// npm install standardwebhooks
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SV_WEBHOOK_SECRET);

// body: the text as it came; throws where the signature is not right
const job = webhook.verify(body, request.headers);`,
  Python: `# pip install standardwebhooks
import os
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["SV_WEBHOOK_SECRET"])

# body: the bytes as they came; raises where the signature is not right
job = webhook.verify(body, request.headers)`,
  Shell: `# id, timestamp and body of the call; the answer is what stands behind "v1,"
key=$(printf %s "\${SV_WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -vtx1 | tr -d ' \\n')
printf %s "$id.$timestamp.$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64`,
} as const;

export type Language = keyof typeof SNIPPETS;
