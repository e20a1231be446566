/** The programs aws, rclone, s3cmd and curl, for tests of the object store with clients that others wrote. */
import { whatIsMissing } from "./debian-program.ts";

/** Why those tests are left out here; undefined where they run. Under CI they are never left out. */
export const s3ProgramsAreMissing: string | undefined = whatIsMissing(
  "tests of the object store with aws, rclone, s3cmd and curl",
  ["aws", "rclone", "s3cmd", "curl"],
);
