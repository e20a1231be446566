/** Actions on a worker: drain, freeze, kill. Each action shows its consequences before it is confirmed. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { shortId } from "../../format/format.ts";
import { call } from "../../service/call.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import { drainSentences, freezeSentences, killSentences } from "./worker-labels.ts";

const QUESTIONS = {
  drain: { verb: "Drain", sentencesOf: drainSentences },
  freeze: { verb: "Freeze", sentencesOf: freezeSentences },
  kill: { verb: "Kill", sentencesOf: killSentences },
} as const;

type Action = keyof typeof QUESTIONS;

const DONE = {
  drain: "drains",
  freeze: "is frozen",
  thaw: "is thawed",
  kill: "is killed",
} as const;

export function WorkerActions({ worker }: { readonly worker: OperatedWorker }): JSX.Element | null {
  const [asked, setAsked] = useState<Action | undefined>(undefined);
  const isReadOnly = useReadOnly();
  const { id, state, frozen, launcher } = worker;
  if (isReadOnly || state === "ended") return null;
  const isOurs = launcher !== "external";
  const question = asked && QUESTIONS[asked];
  return (
    <div class="actions">
      {frozen && (
        <Button icon="play" kind="main" onPress={() => void act(id, "thaw")}>
          Thaw
        </Button>
      )}
      {state !== "draining" && state !== "lost" && (
        <Button icon="right" onPress={() => setAsked("drain")}>
          Drain …
        </Button>
      )}
      {isOurs && !frozen && launcher !== "function" && (
        <Button icon="pause" onPress={() => setAsked("freeze")}>
          Freeze …
        </Button>
      )}
      {isOurs && (
        <Button icon="close" kind="danger" onPress={() => setAsked("kill")}>
          Kill …
        </Button>
      )}
      {asked !== undefined && question !== undefined && (
        <Confirm
          title={`${question.verb} ${shortId(id)}?`}
          sentences={question.sentencesOf(worker)}
          word={`${question.verb} it`}
          onClose={() => setAsked(undefined)}
          onConfirm={() => act(id, asked)}
        />
      )}
    </div>
  );
}

async function act(id: string, action: Action | "thaw"): Promise<void> {
  const isFreeze = action === "freeze" || action === "thaw";
  const path = `emulator/workers/${encodeURIComponent(id)}/${isFreeze ? "freeze" : action}`;
  const body = isFreeze ? { body: { frozen: action === "freeze" } } : {};
  await attempt(async () => {
    await call(path, { method: "POST", ...body });
    return `${shortId(id)} ${DONE[action]}`;
  });
}
