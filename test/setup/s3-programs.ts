/** The programs aws, rclone, s3cmd and curl, for tests of the object store with foreign clients. */
import { whatIsMissing } from "./debian-program.ts";

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const s3ProgramsAreMissing: string | undefined = whatIsMissing(
  "tests of the object store with aws, rclone, s3cmd and curl",
  ["aws", "rclone", "s3cmd", "curl"],
);
