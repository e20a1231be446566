/** DELETE /bucket : drops an empty bucket. */
import type { Operation } from "./operation.ts";

export const deleteBucket: Operation = async ({ store }, { bucket }) => {
  await store.deleteBucket(bucket);
  return { status: 204 };
};
