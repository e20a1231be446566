/** The webhook secret and the `s3Config` of jobs are encrypted, which versions before cannot read. */
export const SEALED_SECRETS = "";
