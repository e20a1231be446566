/** Makes a bucket if it is missing, as soon as the S3 service answers: `node make-bucket.js http://host:8333 name`. */
import { setTimeout as wait } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";

const TRIES = 300;
const PAUSE_MS = 1000;
const THERE = ["BucketAlreadyOwnedByYou", "BucketAlreadyExists"];

const [endpoint, name] = process.argv.slice(2);
const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
const client = new S3Client({
  endpoint,
  region: "us-east-1",
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
  maxAttempts: 1,
});
for (let tried = 1; ; tried++) {
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
    break;
  } catch (error) {
    if (THERE.includes(error.name)) break;
    if (tried === TRIES) throw error;
    if (tried % 10 === 0) console.log(`waiting for the S3 service ${endpoint}: ${error.message}`);
  }
  await wait(PAUSE_MS);
}
console.log(`the bucket ${name} is there`);
