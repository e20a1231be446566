/** What can be done to a worker to see what the service makes of it, each told of before it is done. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { shortId } from "../../components/in-words.ts";
import { call } from "../../service/call.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { complain, say, usePart } from "../../state/store.ts";
import { freezeInWords, killInWords } from "./worker-words.ts";

type Asked = "kill" | "freeze" | undefined;

interface ActionsProps {
  readonly worker: OperatedWorker;
}

export function WorkerActions({ worker }: ActionsProps): JSX.Element | null {
  const [asked, setAsked] = useState<Asked>(undefined);
  const isReadOnly = usePart(({ session }) => session) === "read-only";
  const { id, state, frozen, launcher } = worker;
  if (isReadOnly || state === "ended" || launcher === "external") return null;
  return (
    <div class="actions">
      {frozen && (
        <Button icon="play" kind="main" onPress={() => void freeze(id, false)}>
          Thaw
        </Button>
      )}
      {!frozen && launcher !== "function" && (
        <Button icon="pause" onPress={() => setAsked("freeze")}>
          Freeze …
        </Button>
      )}
      <Button icon="close" kind="danger" onPress={() => setAsked("kill")}>
        Kill …
      </Button>
      {asked !== undefined && (
        <Confirm
          title={`${asked === "kill" ? "Kill" : "Freeze"} ${shortId(id)}?`}
          sentences={asked === "kill" ? killInWords(worker) : freezeInWords(worker)}
          word={asked === "kill" ? "Kill it" : "Freeze it"}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            void (asked === "kill" ? kill(id) : freeze(id, true));
          }}
        />
      )}
    </div>
  );
}

function pathOf(id: string): string {
  return `emulator/workers/${encodeURIComponent(id)}`;
}

async function kill(id: string): Promise<void> {
  await act(`killed ${shortId(id)}`, () => call(`${pathOf(id)}/kill`, { method: "POST" }));
}

async function freeze(id: string, isFrozen: boolean): Promise<void> {
  const options = { method: "POST", body: { frozen: isFrozen } } as const;
  await act(`${isFrozen ? "froze" : "thawed"} ${shortId(id)}`, () =>
    call<"freezeWorker">(`${pathOf(id)}/freeze`, options),
  );
}

async function act(done: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
    say(done);
  } catch (error) {
    complain(error);
  }
}

interface ConfirmProps {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly word: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

function Confirm({ title, sentences, word, onClose, onConfirm }: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="sentences">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div class="row">
        <span class="spring" />
        <Button onPress={onClose}>Leave it</Button>
        <Button kind="danger" onPress={onConfirm}>
          {word}
        </Button>
      </div>
    </Dialog>
  );
}
