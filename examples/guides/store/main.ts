import { createAssent, type ElicitationId, localParticipant, localRequester } from 'assent'
import { openJournalStore } from './journal-store.ts'

// `main.ts journal` asks and waits; `main.ts journal <id>`, in another terminal, answers. Both need the same ASSENT_KEYS.
const [path = 'journal', id] = process.argv.slice(2)
const assent = await createAssent({ store: openJournalStore(path) })

if (id === undefined) {
  const { elicitation } = await assent.ask({
    question: {
      mode: 'form',
      message: 'Which branch?',
      schema: { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] },
    },
    origin: { server: 'git' },
    requester: localRequester,
  })
  console.log(elicitation.id)
  const { state } = await assent.wait(elicitation.id)
  console.log(state.kind === 'answered' ? JSON.stringify(state.answer) : state.kind)
} else {
  const person = { participant: localParticipant, groups: [], via: 'page' } as const
  await assent.answer(id as ElicitationId, person, { action: 'accept', content: { branch: 'main' } })
}
await assent.close()
