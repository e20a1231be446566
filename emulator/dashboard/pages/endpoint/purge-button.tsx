/** Removes the jobs that wait, once it was asked whether that is meant. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { plural } from "../../format.ts";
import { call } from "../../service/call.ts";
import { complain, say } from "../../state/store.ts";

interface PurgeProps {
  readonly id: string;
  readonly waiting: number;
}

export function PurgeButton({ id, waiting }: PurgeProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const purge = async () => {
    setAsking(false);
    try {
      const path = `v2/${encodeURIComponent(id)}/purge-queue`;
      const { removed } = await call<"purgeQueue">(path, { method: "POST" });
      say(`removed ${plural(removed, "waiting job")}`);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <>
      <Button kind="danger" isDisabled={waiting === 0} onPress={() => setAsking(true)}>
        Purge queue …
      </Button>
      {isAsking && (
        <Dialog title={`Purge the queue of ${id}?`} onClose={() => setAsking(false)}>
          <p>
            {plural(waiting, "job")} {waiting === 1 ? "waits" : "wait"} in it. They are removed and
            cannot be brought back; those that run go on.
          </p>
          <div class="row">
            <Button kind="danger" onPress={() => void purge()}>
              Remove {plural(waiting, "waiting job")}
            </Button>
            <Button onPress={() => setAsking(false)}>Keep them</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
