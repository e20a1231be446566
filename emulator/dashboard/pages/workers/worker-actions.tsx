/** What can be done to a worker: let it leave, or see what the service makes of its end. Each is told of before it is done. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { shortId } from "../../format.ts";
import { call } from "../../service/call.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { complain, say, usePart } from "../../state/store.ts";
import { drainSentences, freezeSentences, killSentences } from "./worker-labels.ts";

const QUESTIONS = {
  drain: { verb: "Drain", inWords: drainSentences, perform: drain },
  freeze: {
    verb: "Freeze",
    inWords: freezeSentences,
    perform: async (id: string) => freeze(id, true),
  },
  kill: { verb: "Kill", inWords: killSentences, perform: kill },
} as const;

type Asked = keyof typeof QUESTIONS | undefined;

interface ActionsProps {
  readonly worker: OperatedWorker;
}

export function WorkerActions({ worker }: ActionsProps): JSX.Element | null {
  const [asked, setAsked] = useState<Asked>(undefined);
  const isReadOnly = usePart(({ session }) => session) === "read-only";
  const { id, state, frozen, launcher } = worker;
  if (isReadOnly || state === "ended") return null;
  const isOurs = launcher !== "external";
  const question = asked && QUESTIONS[asked];
  return (
    <div class="actions">
      {frozen && (
        <Button icon="play" kind="main" onPress={() => void freeze(id, false)}>
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
      {question !== undefined && (
        <Confirm
          title={`${question.verb} ${shortId(id)}?`}
          sentences={question.inWords(worker)}
          word={`${question.verb} it`}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            void question.perform(id);
          }}
        />
      )}
    </div>
  );
}

function pathOf(id: string): string {
  return `emulator/workers/${encodeURIComponent(id)}`;
}

async function drain(id: string): Promise<void> {
  await act(`${shortId(id)} leaves when its jobs are done`, () =>
    call(`${pathOf(id)}/drain`, { method: "POST" }),
  );
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
