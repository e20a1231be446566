/** Code with which a receiver checks a signature, by the libraries of Standard Webhooks. */

export const SNIPPETS = {
  Node: `// npm install standardwebhooks
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SV_WEBHOOK_SECRET);

// body: the raw text of the call; throws when the signature is wrong
const job = webhook.verify(body, request.headers);`,
  Python: `# pip install standardwebhooks
import os
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["SV_WEBHOOK_SECRET"])

# body: the raw bytes of the call; raises when the signature is wrong
job = webhook.verify(body, request.headers)`,
  Shell: `# id, timestamp and body of the call; prints what follows "v1," in its signature
key=$(printf %s "\${SV_WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -vtx1 | tr -d ' \\n')
printf %s "$id.$timestamp.$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64`,
} as const;

export type Language = keyof typeof SNIPPETS;
